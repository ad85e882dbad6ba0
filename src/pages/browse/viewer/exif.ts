import { type Html, html } from '../../../lib/html.ts'
import type { Words } from '../../../words/en.ts'

type Values = ReadonlyMap<string, string>

/** The camera's metadata: a summary, and the whole list folded. */
export function exifSection(exif: string | undefined, words: Words): Html | undefined {
  const values = valuesOf(exif)
  if (values.size === 0) return undefined
  const known = summaryOf(values, words)
  return html`<section aria-labelledby="camera"><h2 id="camera">${known.length > 0 ? words.takenWith : words.metadata}</h2>
${known.length > 0 ? html`<dl class="facts">${known.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>` : undefined}
<details><summary>${words.allMetadata(String(values.size))}</summary>
<table class="all-metadata"><tbody>${[...values].map(([name, value]) => html`<tr><th scope="row">${spaced(name)}</th><td>${value}</td></tr>`)}</tbody></table>
</details></section>`
}

function valuesOf(exif: string | undefined): Values {
  if (exif === undefined) return new Map()
  const entries = Object.entries(JSON.parse(exif) as Record<string, unknown>)
  return new Map(entries.map(([name, value]) => [name, String(value)]))
}

function summaryOf(values: Values, words: Words): (readonly [string, string])[] {
  const lines: (readonly [string, string | undefined])[] = [
    [words.camera, cameraOf(values)],
    [words.lens, values.get('LensModel')],
    [words.exposure, withUnit(values.get('ExposureTime'), ' s')],
    [words.aperture, values.get('FNumber')],
    [
      words.sensitivity,
      prefixed('ISO ', values.get('ISOSpeedRatings') ?? values.get('PhotographicSensitivity')),
    ],
    [words.focalLength, withUnit(values.get('FocalLength'), ' mm')],
    [words.taken, takenAt(values.get('DateTimeOriginal'))],
    [words.artist, values.get('Artist')],
    [words.copyright, values.get('Copyright')],
  ]
  return lines.flatMap(([name, value]) => (value ? [[name, value] as const] : []))
}

/** Most makers repeat their name in the model. */
function cameraOf(values: Values): string | undefined {
  const [make = '', model = ''] = [values.get('Make'), values.get('Model')]
  const [first = ''] = make.split(' ')
  return model.toLowerCase().startsWith(first.toLowerCase()) ? model : `${make} ${model}`.trim()
}

const withUnit = (value: string | undefined, unit: string) =>
  value && (/[\d.]$/.test(value) ? value + unit : value)

const prefixed = (prefix: string, value: string | undefined) => value && prefix + value

/** Exif dates have colons. */
const takenAt = (value: string | undefined) => value?.replace(/^(\d{4}):(\d\d):(\d\d)/, '$1-$2-$3')

/** `FocalLengthIn35mmFilm` as separate words. */
const spaced = (name: string) => name.replaceAll(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, ' ')
