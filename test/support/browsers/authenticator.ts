import type { Page } from 'playwright-core'

/** A device of the browser that always says yes. */
export async function addAuthenticator(tab: Page): Promise<void> {
  const session = await tab.context().newCDPSession(tab)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}
