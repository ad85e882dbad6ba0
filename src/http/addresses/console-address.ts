import type { Config } from '../../config.ts'
import type { Scheme } from '../requests/client-info.ts'
import { publicUrl } from './public-url.ts'

/** The console's pages are below it, on its host alone. */
export const consolePrefix = '/_/console'

/** The address of a page of the console, from its path below the prefix. */
export const consolePath = (path = ''): string => (path === '' ? consolePrefix : `${consolePrefix}/${path}`)

/** The address of a page as operators type it. */
export const consoleUrl = (config: Config, path = '', forwarded?: Scheme): string =>
  new URL(consolePath(path), publicUrl(config, config.console.hostname, forwarded)).href

/** The link that sets up the account of an operator. */
export const inviteUrl = (config: Config, token: string, forwarded?: Scheme): string =>
  consoleUrl(config, `invite/${token}`, forwarded)
