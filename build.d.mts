/** The path of the program, built anew when a source has changed. */
export function buildProgram(): Promise<string>
/** Bundles programs of the tests, each by its path below the root, when a source has changed. */
export function buildTestPrograms(paths: readonly string[]): Promise<void>
/** The path of a program of the tests in its bundle. */
export function builtTestProgram(path: string): string
/** Whether the files for browsers are those of the sources. */
export function isWebBuilt(): boolean
/** SHA-256 of the sources of the files for browsers. */
export function sumOfWeb(): string
