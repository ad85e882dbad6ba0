import type { Words } from '../../../words/en.ts'
import { type AppContext, curlLine, flameshotScript, typoraScript } from './upload-scripts.ts'

export interface AppField {
  /** As the program itself calls it, in the reader's language if the program has it. */
  label: string
  text: string
}

export interface AppFile {
  name: string
  text: string
}

/** A program that uploads here, with the settings that it needs. */
export interface UploadApp {
  id: AppId
  /** Also the name of its key. */
  name: string
  /** Where it runs. */
  system: string
  fields: (context: AppContext, words: Words) => readonly AppField[]
  /** A file that the program opens in place of typing. */
  file?: (context: AppContext) => AppFile
  /** Settings that go over to a phone are shown as a QR code too. */
  hasQrCode?: boolean
}

export type AppId =
  | ('sharex' | 'ishare' | 'picgo' | 'piclist' | 'curl')
  | ('flameshot' | 'typora' | 'obsidian' | 'ios-shortcuts')

const headersOf = ({ key }: AppContext) => ({ 'X-API-Key': key })
const lines = (object: unknown) => `${JSON.stringify(object, undefined, 2)}\n`

/** `*.sxcu`, as ShareX 17 reads it. */
const shareX = (context: AppContext) => ({
  Version: '17.0.0',
  Name: context.siteName,
  DestinationType: 'ImageUploader, FileUploader',
  RequestMethod: 'POST',
  RequestURL: context.uploadUrl,
  Headers: headersOf(context),
  Body: 'MultipartFormData',
  FileFormName: 'source',
  URL: '{json:image.url}',
  ThumbnailURL: '{json:image.thumb.url}',
  DeletionURL: '{json:image.delete_url}',
  ErrorMessage: '{json:error.message}',
})

/** `*.iscu`, as ishare 4 reads it. */
const ishare = (context: AppContext) => ({
  name: context.siteName,
  requestURL: context.uploadUrl,
  headers: headersOf(context),
  fileFormName: 'source',
  responseURL: '{{image.url}}',
  deletionURL: '{{image.delete_url}}',
  // A GET would only show the page that asks.
  deleteRequestType: 'DELETE',
})

export const uploadApps: readonly UploadApp[] = [
  {
    id: 'sharex',
    name: 'ShareX',
    system: 'Windows',
    file: (context) => ({ name: `${context.siteName}.sxcu`, text: lines(shareX(context)) }),
    fields: (context) => [
      { label: 'Request URL', text: context.uploadUrl },
      { label: 'X-API-Key', text: context.key },
      { label: 'File form name', text: 'source' },
      { label: 'URL', text: '{json:image.url}' },
      { label: 'Thumbnail URL', text: '{json:image.thumb.url}' },
      { label: 'Deletion URL', text: '{json:image.delete_url}' },
      { label: 'Error message', text: '{json:error.message}' },
    ],
  },
  {
    id: 'ishare',
    name: 'ishare',
    system: 'macOS',
    file: (context) => ({ name: `${context.siteName}.iscu`, text: lines(ishare(context)) }),
    fields: (context) => [
      { label: 'Request URL', text: context.uploadUrl },
      { label: 'X-API-Key', text: context.key },
      { label: 'File form name', text: 'source' },
      { label: 'Response URL', text: '{{image.url}}' },
      { label: 'Deletion URL', text: '{{image.delete_url}}' },
      { label: 'Delete request type', text: 'DELETE' },
    ],
  },
  {
    id: 'picgo',
    name: 'PicGo',
    system: 'web-uploader',
    fields: (context) => [
      { label: 'url', text: context.uploadUrl },
      { label: 'paramName', text: 'source' },
      { label: 'jsonPath', text: 'image.url' },
      { label: 'customHeader', text: JSON.stringify(headersOf(context)) },
    ],
  },
  {
    id: 'piclist',
    name: 'PicList',
    system: 'Windows, macOS, Linux',
    fields: (context) => [
      { label: 'endpoint', text: context.uploadUrl },
      { label: 'method', text: 'POST' },
      { label: 'formDataKey', text: 'source' },
      { label: 'headers', text: JSON.stringify(headersOf(context)) },
      { label: 'resDataPath', text: 'image.url' },
    ],
  },
  {
    id: 'curl',
    name: 'curl',
    system: 'Windows, macOS, Linux',
    fields: (context) => [
      { label: 'Terminal', text: curlLine(context, { curl: 'curl', quote: "'" }) },
      { label: 'cmd.exe', text: curlLine(context, { curl: 'curl.exe', quote: '"' }) },
      // Where PowerShell knows `curl`, it is another program.
      { label: 'PowerShell', text: curlLine(context, { curl: 'curl.exe', quote: "'" }) },
    ],
  },
  {
    id: 'flameshot',
    name: 'Flameshot',
    system: 'Linux',
    file: (context) => ({ name: 'flameshot-upload.sh', text: flameshotScript(context) }),
    // Desktops run a command without a shell, and only a shell knows `~`.
    fields: (_, { appFields }) => [{ label: appFields.command, text: "sh -c 'sh ~/flameshot-upload.sh'" }],
  },
  {
    id: 'typora',
    name: 'Typora',
    system: 'macOS, Linux',
    file: (context) => ({ name: 'typora-upload.sh', text: typoraScript(context) }),
    fields: () => [{ label: 'Custom command', text: 'sh ~/typora-upload.sh' }],
  },
  {
    id: 'obsidian',
    name: 'Obsidian',
    system: 'Image Uploader',
    fields: (context) => [
      { label: 'Api Endpoint', text: context.uploadUrl },
      { label: 'Upload Header', text: JSON.stringify(headersOf(context)) },
      { label: 'Upload Body', text: JSON.stringify({ source: '$FILE' }) },
      { label: 'Image Url Path', text: 'image.url' },
    ],
  },
  {
    id: 'ios-shortcuts',
    name: 'iOS Shortcuts',
    system: 'iPhone, iPad',
    hasQrCode: true,
    fields: (context, { appFields }) => [
      { label: 'URL', text: context.uploadUrl },
      { label: appFields.method, text: 'POST' },
      { label: appFields.header, text: context.key },
      { label: appFields.formFile, text: 'source' },
      { label: appFields.dictionaryValue, text: 'image.url' },
    ],
  },
]
