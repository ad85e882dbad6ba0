import { thumbHashToRGBA } from 'thumbhash'

/** Draws what the server knows of each picture, until the picture is there. */
export function startPlaceholders(root: ParentNode = document): void {
  for (const image of root.querySelectorAll<HTMLImageElement>('img[data-placeholder]')) {
    if (image.complete && image.naturalWidth > 0) continue
    const isOnStage = image.closest('.stage') !== null
    if (isOnStage && image.classList.contains('sheer')) holdSize(image)
    showPlaceholder(image, image.dataset.placeholder ?? '', isOnStage ? 'contain' : '100% 100%')
  }
}

/** As a background, so that the picture covers it; taken away for those that are transparent. */
export function showPlaceholder(image: HTMLImageElement, hash: string, size = '100% 100%'): void {
  image.style.background = `center / ${size} no-repeat url(${drawingOf(bytesOf(hash))})`
  image.addEventListener('load', () => image.removeAttribute('style'), { once: true })
}

/** By a canvas: the library's own way brings an encoder of PNG along. */
function drawingOf(hash: Uint8Array): string {
  const { w, h, rgba } = thumbHashToRGBA(hash)
  const canvas = document.createElement('canvas')
  ;[canvas.width, canvas.height] = [w, h]
  canvas.getContext('2d')?.putImageData(new ImageData(new Uint8ClampedArray(rgba), w, h), 0, 0)
  return canvas.toDataURL()
}

const bytesOf = (text: string) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0))

/** A picture that is as large as what it shows has no width before it is there; this is the one that it has later. */
function holdSize(image: HTMLImageElement): void {
  const [width, height] = ['width', 'height'].map((name) => Number(image.getAttribute(name)))
  if (!width || !height) return
  image.style.width = `min(100%, ${width}px, calc(var(--most) * ${width / height}))`
}
