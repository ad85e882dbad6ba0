/** Loaded for the first passkey: its 250 modules take 150 ms of CPU, which every start would pay for. */
export const webauthn = () => import('@simplewebauthn/server')
