import assert from 'node:assert/strict'
import { test } from 'vitest'
import { faultsOf } from '../support/browsers/browser-site.ts'
import { operatorPassword, startBrowserConsole } from '../support/console.ts'
import { needing } from '../support/needs.ts'

const browsing = await needing('chromium')

browsing.describe('keys and operators in a browser', () => {
  test('by mouse a key and an operator are made, shown once, changed and deleted', async () => {
    await using place = await startBrowserConsole()
    const tab = await place.open()
    const faults = faultsOf(tab)
    await tab.goto(place.at('keys'))
    await tab.getByLabel('Name').fill('Billing')
    await tab.getByRole('button', { name: 'Create the key' }).click()
    assert.match(await tab.getByLabel('Key', { exact: true }).inputValue(), /^trc_/)
    await tab.goto(place.at('keys'))
    assert.equal(await tab.getByLabel('Key', { exact: true }).count(), 0)
    await tab.getByRole('button', { name: 'Delete: Billing' }).click()
    await tab.getByText('Saved').waitFor()
    assert.equal(await tab.getByRole('rowheader', { name: 'Billing' }).count(), 0)

    await tab.getByRole('navigation').getByRole('link', { name: 'Operators' }).click()
    await tab.getByLabel('User name').fill('linus')
    await tab.getByRole('button', { name: 'Create the operator' }).click()
    assert.match(await tab.getByLabel('Link', { exact: true }).inputValue(), /\/_\/console\/invite\/\w+$/)
    await tab.getByLabel('Role: linus').selectOption('viewer')
    await tab.getByRole('button', { name: 'Save: linus' }).click()
    await tab.getByText('Saved').waitFor()
    assert.equal(await tab.getByLabel('Role: linus').inputValue(), 'viewer')
    await tab.getByRole('button', { name: 'Reset: linus' }).click()
    assert.match(await tab.getByLabel('Link', { exact: true }).inputValue(), /\/invite\/\w+$/)
    await tab.goto(place.at('operators'))
    await tab.getByRole('button', { name: 'Delete: linus' }).click()
    await tab.getByText('Saved').waitFor()

    await tab.getByRole('navigation').getByRole('link', { name: 'Audit' }).click()
    await tab.getByLabel('What').selectOption('operator.deleted')
    await tab.getByRole('button', { name: 'Search' }).click()
    assert.equal(await tab.getByRole('row').filter({ hasText: 'Operator deleted' }).count(), 1)
    assert.deepEqual(faults, [])
  })

  for (const javaScriptEnabled of [true, false])
    test(`what was typed is in the form again after a proof, ${javaScriptEnabled ? 'with' : 'without'} script`, async () => {
      await using place = await startBrowserConsole()
      const tab = await place.open({ javaScriptEnabled })
      await tab.goto(place.at('keys'))
      await tab.getByLabel('Name').fill('Billing <b>')
      place.app.wait(11 * 60)
      await tab.getByRole('button', { name: 'Create the key' }).click()
      await tab.getByLabel('Your current password').fill(operatorPassword)
      await tab.getByRole('button', { name: 'Go on' }).click()
      await tab.getByText('Nothing was changed').waitFor()
      assert.equal(await tab.getByLabel('Name').inputValue(), 'Billing <b>')
      assert.equal(await tab.getByRole('rowheader', { name: 'Billing' }).count(), 0)
      await tab.getByRole('button', { name: 'Create the key' }).click()
      await tab.getByLabel('Key', { exact: true }).waitFor()
      await tab.goto(place.at('keys'))
      await tab.getByRole('rowheader', { name: 'Billing <b>' }).waitFor()
      assert.equal(await tab.getByLabel('Name').inputValue(), '', 'It is given back once.')
    })

  test('a viewer sees both lists, and no form in them', async () => {
    await using place = await startBrowserConsole()
    const tab = await place.open({ role: 'viewer' })
    for (const path of ['keys', 'operators', 'audit']) {
      await tab.goto(place.at(path))
      assert.equal(await tab.locator('main form[method=post]').count(), 0, path)
    }
    await tab.goto(place.at('me'))
    await tab.getByRole('button', { name: /^End/ }).waitFor()
  })
})
