import { encode } from 'uqr'
import { type Html, html } from '../../lib/html.ts'

/** A text as a QR code in SVG: black on white in every theme, as cameras expect it. */
export function qrCode(text: string, label: string): Html {
  const { data, size } = encode(text, { border: 2, ecc: 'M' })
  const dots = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return html`<svg class="qr-code" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path d="${dots.join('')}" fill="#000"/></svg>`
}
