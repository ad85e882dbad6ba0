import { type Html, html } from '../../html.ts'

type Values = ReadonlyMap<string, string>

/** What the camera wrote: the few things that people ask for, and all of it for those who want to see. */
export function exifSection(exif: string | undefined): Html | undefined {
  const values = valuesOf(exif)
  if (values.size === 0) return undefined
  const known = summaryOf(values)
  return html`<section aria-labelledby="camera"><h2 id="camera">${known.length > 0 ? 'Camera' : 'Metadata'}</h2>
${known.length > 0 ? html`<dl class="facts">${known.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>` : undefined}
<details><summary>All that is written in the file (${values.size})</summary>
<table><tbody>${[...values].map(([name, value]) => html`<tr><th scope="row">${spaced(name)}</th><td>${value}</td></tr>`)}</tbody></table>
</details></section>`
}

function valuesOf(exif: string | undefined): Values {
  if (exif === undefined) return new Map()
  const entries = Object.entries(JSON.parse(exif) as Record<string, unknown>)
  return new Map(entries.map(([name, value]) => [name, String(value)]))
}

function summaryOf(values: Values): (readonly [string, string])[] {
  const lines: (readonly [string, string | undefined])[] = [
    ['Camera', cameraOf(values)],
    ['Lens', values.get('LensModel')],
    ['Exposure', withUnit(values.get('ExposureTime'), ' s')],
    ['Aperture', values.get('FNumber')],
    ['Sensitivity', prefixed('ISO ', values.get('ISOSpeedRatings') ?? values.get('PhotographicSensitivity'))],
    ['Focal length', withUnit(values.get('FocalLength'), ' mm')],
    ['Taken', takenAt(values.get('DateTimeOriginal'))],
    ['Artist', values.get('Artist')],
    ['Copyright', values.get('Copyright')],
  ]
  return lines.flatMap(([name, value]) => (value ? [[name, value] as const] : []))
}

/** Most makers write their name into the model as well. */
function cameraOf(values: Values): string | undefined {
  const [make = '', model = ''] = [values.get('Make'), values.get('Model')]
  const [first = ''] = make.split(' ')
  return model.toLowerCase().startsWith(first.toLowerCase()) ? model : `${make} ${model}`.trim()
}

const withUnit = (value: string | undefined, unit: string) =>
  value && (/[\d.]$/.test(value) ? value + unit : value)

const prefixed = (prefix: string, value: string | undefined) => value && prefix + value

/** Exif writes its dates with colons. */
const takenAt = (value: string | undefined) => value?.replace(/^(\d{4}):(\d\d):(\d\d)/, '$1-$2-$3')

/** `FocalLengthIn35mmFilm` as words. */
const spaced = (name: string) => name.replaceAll(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, ' ')
