const svg = 'http://www.w3.org/2000/svg'

/** A drawing of the sprite, as the part `icon` of the server writes it. */
export function drawing(path: string): Element {
  const element = document.createElementNS(svg, 'svg')
  element.setAttribute('class', 'icon')
  element.setAttribute('aria-hidden', 'true')
  element.setAttribute('viewBox', '0 0 24 24')
  const use = document.createElementNS(svg, 'use')
  use.setAttribute('href', path)
  element.append(use)
  return element
}
