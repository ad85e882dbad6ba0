import { startImaging } from '../../../src/imaging/index.ts'

/** Prints the layers of the sandbox that decoders lack if this account starts them. */
await using imaging = startImaging({ children: 1 })
console.log(JSON.stringify((await imaging.confinement()).missing))
