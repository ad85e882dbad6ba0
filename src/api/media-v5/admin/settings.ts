import { changeSettingsAs, secondStepFirst } from '../../../accounts/index.ts'
import { readSettings } from '../../../site/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import type { ChangingEndpoint, MediaEndpoint } from '../media-endpoint.ts'
import { bodyRefusals, refusedAs, scopedRefusals } from '../responses.ts'
import { userOf } from '../rules/call-parts.ts'
import { unproven } from '../rules/proof.ts'
import {
  readSettingsEdit,
  SettingsEditBody,
  SettingsObject,
  settingFaults,
  writeSettings,
} from '../wire/admin/settings.ts'

export const getSettings: MediaEndpoint = {
  tag: 'Settings',
  summary: 'Read the settings of the site',
  access: 'change-settings',
  responses: { 200: { description: 'Every setting.', schema: SettingsObject }, ...scopedRefusals },
  handle: async ({ site }) => ({ status: 200, body: writeSettings(await readSettings(site)) }),
}

export const patchSettings: ChangingEndpoint = {
  tag: 'Settings',
  summary: 'Change settings of the site',
  description:
    'Changes all of them, or none if one is refused. Omitted settings keep their values; null restores the default.',
  access: 'change-settings',
  proof: 'needed',
  body: SettingsEditBody,
  bodyExample: { listing: 'members', trash_days: 14, enable_guest_uploads: false },
  bodyFaults: settingFaults,
  responses: {
    200: { description: 'Every setting.', schema: SettingsObject },
    ...bodyRefusals,
    403: unproven,
    409: refusedAs('A caller without a second step turns `require_second_step` on.', secondStepFirst()),
  },
  handle: async (call) => {
    const edit = readSettingsEdit(call.body)
    const settings = await changeSite(call.app.control, call.site, (site) =>
      changeSettingsAs(site, userOf(call), edit),
    )
    return { status: 200, body: writeSettings(settings) }
  },
}
