/**
 * What is wrong with a field, as data. The APIs and the tool write it in English, as here; pages write it in the language of
 * their reader (`faults.ts` of each language in `words`). A new rule is one line here and one in each language: the compiler asks for them.
 */
const details = {
  required: () => 'is required',
  requiredFor: ({ action }: { action: string }) => `is required for ${action}`,
  unknownField: () => 'is not a known field',
  unknownParameter: () => 'is not a known parameter',
  noField: ({ least }: { least: number }) =>
    least === 1 ? 'At least one field must be given' : `At least ${least} fields must be given`,
  noSetField: () => 'must have at least one field',
  bodyForm: () => 'The body does not have the expected form',
  malformed: ({ detail }: { detail: string }) => detail,
  givenTwice: () => 'is given twice',
  empty: () => 'must not be empty',
  type: ({ types }: { types: readonly string[] }) => `must be ${types.map(articled).join(' or ')}`,
  form: () => 'does not have the expected form',
  keyword: ({ keyword }: { keyword: string }) => `breaks ${keyword}`,
  inexactNumber: ({ given }: { given: string }) =>
    `the number ${given} cannot be kept exactly; send it as a string`,

  textNumberOrBoolean: () => 'must be a text, a number or a boolean',
  utf8: () => 'is not valid UTF-8',
  percentEncoding: () => 'is not valid percent-encoded UTF-8',
  formEncoding: () => 'is not valid percent-encoding',
  nul: () => 'must not contain NUL',
  controlCharacters: () => 'must not contain control characters',
  blankOrControlCharacters: () => 'must not be blank, and must not contain control characters',
  tagCharacters: () => 'must not contain commas and control characters',
  blankOrTagCharacters: () => 'must not be blank, and must not contain commas and control characters',
  tagOfList: ({ tag, detail }: { tag: string; detail: string }) => `${JSON.stringify(tag)} ${detail}`,

  length: ({ least, most, length }: { least: number; most: number; length: number }) =>
    `must be ${least} to ${most} characters long, not ${length}`,
  leastLength: ({ least, length }: { least: number; length: number }) =>
    `must be at least ${least} characters long, not ${length}`,
  mostLength: ({ most, length }: { most: number; length: number }) =>
    `must be at most ${most} characters long, not ${length}`,
  filledLength: ({ most }: { most: number }) =>
    `must be 1 to ${most} characters long, not blank and without NUL`,
  nameLength: ({ most }: { most: number }) => `must be 1 to ${most} characters long`,
  bytes: ({ most, bytes }: { most: number; bytes: number }) =>
    `must be at most ${most} bytes long, not ${bytes}`,
  longerThan: ({ most }: { most: number }) => `is longer than ${most} bytes`,
  urlLength: ({ most }: { most: number }) => `a URL must be at most ${most} characters long`,
  entries: ({ least, most, count }: { least: number; most: number; count: number }) =>
    `must have ${least} to ${most} entries, not ${count}`,
  mostEntries: ({ most, count }: { most: number; count: number }) =>
    `must have at most ${most} entries, not ${count}`,
  tagsOfFile: ({ most, count }: { most: number; count: number }) =>
    `must be at most ${most} (SERVICE_MAX_TAGS_PER_FILE), not ${count}`,

  oneOf: ({ words, given }: { words: readonly string[]; given?: string }) =>
    `must be one of ${words.join(', ')}${notGiven(given)}`,
  trueOrFalse: () => 'must be true or false',
  zeroOrOne: ({ given }: { given?: string }) => `must be 0 or 1${notGiven(given)}`,
  wholeNumber: ({ given }: { given?: string }) => `must be a whole number${notGiven(given)}`,
  numberRange: ({ least, most, given }: { least: number; most: number; given?: number }) =>
    `must be a whole number from ${least} to ${most}${given === undefined ? '' : `, not ${given}`}`,
  numberOfUnits: (p: { unit: 'seconds' | 'days'; least: number; most: number; given: string }) =>
    `must be a whole number of ${p.unit} from ${p.least} to ${p.most}${notGiven(p.given)}`,
  percents: ({ given }: { given: string }) =>
    `must be 1 to 5 whole percents from 1 to 100, rising, like 80,95, not "${given}"`,
  size: () => 'must be a whole number of at most 15 digits, K, M or G may follow',
  seconds: ({ least, most }: { least: number; most: number }) => `must be ${least} to ${most} seconds`,
  duration: () => 'must be one of the known durations, like PT5M or P1D',
  time: () => 'must be a time in UTC like 2027-01-31T12:00:00.000Z',
  future: () => 'must be in the future',
  day: () => 'must be a day like 2027-01-31',
  dayOrder: () => 'must not be after to',
  onlyWithJson: () => 'is not possible with format=csv',
  timeZone: () => 'must be a time zone like Europe/Paris',
  colour: () => 'must be a colour like #1d6652, or empty',

  id: () => 'must be an id of letters and digits',
  email: () => 'must be an e-mail address',
  username: () => 'must be 3 to 32 of A-Z a-z 0-9 _ . -',
  passwordCommon: () => 'must not be one of the 10,000 most common passwords',
  passwordName: () =>
    'must not be the user name, the e-mail address or its first part, or the hostname of the site',
  passwordMissing: () => 'must be given for the privacy password',
  passwordUnneeded: ({ privacy }: { privacy: string }) =>
    `must be given only for the privacy password, not for ${privacy}`,
  passwordWrong: () => 'is not the password of this user',
  code: () => 'is not a code of this moment, or was used already.',
  urlKey: () => 'must be 1 to 64 of a-z 0-9 -, and neither begin nor end with -',
  tooComplex: () => 'takes too long to render. Write it with fewer brackets, stars and other marks in a row',
  home: () => 'must be one of upload, explore, page:NAME (a page of the site)',
  publicKey: () => 'must be 16 to 200 characters without spaces',
  siteName: ({ most }: { most: number }) => `must be at most ${most} characters, without control characters`,
  providerName: () => 'must be 1 to 32 of a-z 0-9 -, neither begin nor end with -, and not be "new"',
  issuer: () => 'must be an address as https://login.example.com/realm, without user name, ? and #',
  scopes: () => 'must be scopes separated by one space, openid among them',
  secretNeeded: () => 'another issuer needs its own secret. Enter it.',
  origin: () => 'must be an origin like https://app.example.com',
  addressRange: () => 'must be an address or a CIDR range like 192.0.2.0/24',
  preference: ({ given }: { given: string }) => `"${given}" is not one of its values`,

  albumOfFileOwner: () => 'must be an album of the owner of the file',
  albumOfUser: () => 'must be an album of this user',
  parentAlbum: () => 'must be an album of the same user',
  category: () => 'must be a category of this site',
  unknownCategory: () => 'is not a category of this site',
  heir: () => 'must be keep, trash or the id of another user',
  tagsTogether: () => 'must not be given together with add_tags or remove_tags',
  setUnneeded: ({ action }: { action: string }) => `must be given only for edit and move, not for ${action}`,
  setOfMove: () => 'must have only album_id for move',
  reasonUnneeded: () => 'must be given only for reject and trash',
  beforeItself: () => 'must not be one of ids',
  uploadsOfFile: () => 'must be false for a share of a file',
  uploadsNeeded: () => 'must be given only with allow_upload',
  fileOfUser: () => 'must be a file of a user, not of a guest',
  parentPrivacy: ({ privacy }: { privacy: string }) =>
    `must not be more open than that of the parent album, ${privacy}`,
  fileInAlbum: () => 'must be a file in this album',
  fileBelowAlbum: () => 'must be a file in this album or below it',
  reportText: () => 'must say what is wrong, because the reason is other',
  untakenByShare: () => 'cannot be given for uploads to a share',
  untakenWithReplace: () => 'cannot be given together with replace',
  siteAddress: () => 'must be the address of a page of this site',
  imageAddress: () => 'must be an address below /images/ on this site',
  signedOptions: () => 'must have each option once, and none of s, e and sh',
  wholeOption: ({ least, most, given }: { least: number; most: number; given: string }) =>
    `must be a whole number from ${least} to ${most}, not "${given}"`,
  ratio: ({ given }: { given: string }) =>
    `must be a number from 1 to 3 with at most two decimals, not "${given}"`,
  ratioWithoutSide: () => 'must be given together with width or height',
  scaledSide: ({ most, given }: { most: number; given: number }) =>
    `must be at most ${most} pixels after dpr, not ${given}`,
  ground: ({ given }: { given: string }) => `must be six hexadecimal digits or transparent, not "${given}"`,
  presetName: () => 'must be 1 to 32 of a-z 0-9 _ -, a letter or digit first',
  presetEmpty: ({ words }: { words: readonly string[] }) => `must have at least one of ${words.join(', ')}`,
  presetAlone: ({ words }: { words: readonly string[] }) =>
    `stands alone, without ${words.join(', ')}: the preset has all options`,
  nameOfPath: () => 'must be the name in the path, if it is given',
  noPreset: ({ given }: { given: string }) => `is not a preset of this site: "${given}"`,
  addressOption: ({ option, detail }: { option: string; detail: string }) => `${option} ${detail}`,
  signedEnd: () => 'must be in the future, at most in seven days, for protected bytes',
  checksum: ({ algorithms }: { algorithms: readonly string[] }) =>
    `must be one of ${algorithms.join(', ')}, a space and the digest in Base64`,
  unsupported: () => 'is not supported',
  unsupportedDefer: () => 'is not supported: limits are checked before the first byte',
  methodOverride: () => 'must be PATCH, HEAD or DELETE',
  onlyJson: () => 'must be json',
  uploadFormat: () => 'must be json, redirect or txt',
  numberFrom: ({ least }: { least: number }) => `must be a whole number from ${least}`,
  fileAddress: () => 'must be the address of a file that you see',
  tagList: ({ most }: { most: number }) => `must be 1 to ${most} names of tags, separated by commas`,
  idList: ({ most }: { most: number }) => `must be 1 to ${most} ids, separated by commas`,
  sortNeeds: ({ sort, needs }: { sort: string; needs: string }) => `${sort} needs ${needs}`,
  callerNeeded: () => 'me needs a key or session',
  cursor: () => 'is not valid here',
  idempotencyKey: ({ least, most }: { least: number; most: number }) =>
    `must be ${least} to ${most} visible ASCII characters`,

  searchLength: ({ most, length }: { most: number; length: number }) =>
    `must have at most ${most} characters, not ${length}`,
  searchTerms: ({ most, count }: { most: number; count: number }) =>
    `must have at most ${most} words and phrases, not ${count}`,
  searchExcluded: () => 'must have a word that is not excluded',
  searchFilter: () => 'must have a value after the colon of each filter',
  searchType: () => 'must have image or video after type:',
  searchDay: () => 'must have a day, a month or a year after before: and after:',
  searchWordless: () => 'must have a letter or a digit',

  controlKeyName: () => 'must be 1 to 100 characters',
  tenantId: () => 'must be 1 to 64 of A-Z a-z 0-9 _ -, a letter or digit first',
  reservedId: ({ id }: { id: string }) => `"${id}" is reserved`,
  tenantOfList: () => 'must be the id of a tenant',
  hostname: () => 'must be a DNS name',
  valueName: () => 'must be a name of A-Z 0-9 _',
  valueInEnv: () => 'must be set in env, which is stored encrypted',
  databaseUrl: ({ detail }: { detail: string }) => detail,
  storageUrl: ({ detail }: { detail: string }) => detail,
  allowList: ({ detail }: { detail: string }) => detail,
}

const notGiven = (given: string | undefined) => (given === undefined ? '' : `, not "${given}"`)

const articled = (type: string) =>
  type === 'null' ? 'null' : /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`

export type FaultCode = keyof typeof details

/** A text for every fault, in one language. */
export type FaultTexts = { readonly [Code in FaultCode]: (params: ParamsOf<Code>) => string }

type ParamsOf<Code extends FaultCode> = NonNullable<Parameters<(typeof details)[Code]>[0]>

/** The rule that a value breaks, with the numbers and words that a sentence about it needs. */
export interface BrokenRule {
  readonly code: FaultCode
  readonly params: Readonly<Record<string, unknown>>
}

/** A field that breaks a rule. */
export interface Fault extends BrokenRule {
  /** The path of a field with dots, as in `tags.3`; a parameter or header by name; empty for the body as a whole. */
  readonly field: string
  /** The body, unless it says so. */
  readonly in?: 'query' | 'header'
}

/** Rules without numbers need no `params`. */
export const broken = <Code extends FaultCode>(
  code: Code,
  ...[params]: Parameters<(typeof details)[Code]>
): BrokenRule => ({ code, params: params ?? {} })

export const faultOf = <Code extends FaultCode>(
  field: string,
  code: Code,
  ...params: Parameters<(typeof details)[Code]>
): Fault => ({ field, ...broken(code, ...params) })

/** The fault of a field, if its value breaks a rule. */
export const faultsIf = (field: string, rule: BrokenRule | undefined): Fault[] =>
  rule === undefined ? [] : [{ field, ...rule }]

/** In English, as the APIs and the tool write it. */
export const detailOf = (rule: BrokenRule): string => textOf(details, rule)

/** In the language of these texts. */
export function textOf(texts: FaultTexts, { code, params }: BrokenRule): string {
  return (texts[code] as (params: BrokenRule['params']) => string)(params)
}

/** `title: must be …`, as the APIs list faults. */
export const lineOf = (fault: Fault): string =>
  fault.field === '' && ofBody.has(fault.code) ? detailOf(fault) : `${fault.field}: ${detailOf(fault)}`

/** Faults of the body as a whole; a body may also have a field whose name is empty. */
const ofBody: ReadonlySet<FaultCode> = new Set(['noField', 'bodyForm', 'malformed'])

/** Every code there is; a test writes each of them in each language. */
export const faultCodes = Object.keys(details) as readonly FaultCode[]
