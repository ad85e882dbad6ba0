import PhotoSwipe from 'photoswipe'

/** The picture over the whole window, to zoom and pan. A double tap begins near its point. */
export async function openZoom(button: HTMLButtonElement, near?: { x: number; y: number }): Promise<void> {
  const { zoom: src = '', width, height, style = '', close = '' } = button.dataset
  await loadStyle(style)
  const small = button.closest('.stage')?.querySelector('img')
  const viewer = new PhotoSwipe({
    dataSource: [
      {
        src,
        width: Number(width ?? small?.getAttribute('width')),
        height: Number(height ?? small?.getAttribute('height')),
        alt: small?.alt ?? '',
        ...(small && { msrc: small.currentSrc, element: small }),
      },
    ],
    index: 0,
    bgOpacity: 1,
    loop: false,
    wheelToZoom: true,
    // A picture much longer than the window begins as wide as it is, or as the window.
    secondaryZoomLevel: ({ fit }) => Math.max(Math.min(1, 3 * fit), 2 * fit),
    initialZoomLevel: ({ fit, fill }) => (fill > 3 * fit ? Math.min(1, fill) : fit),
    returnFocus: false,
    // An animation would not heed the Escape key until it has ended.
    showHideAnimationType: 'none',
  })
  // Its own buttons are written as markup, which our policy stops; ours are elements.
  viewer.on('uiRegister', () => {
    if (viewer.ui) viewer.ui.uiElementsData = []
  })
  viewer.on('afterInit', () => {
    const closer = document.createElement('button')
    closer.className = 'button plain zoom-close'
    closer.textContent = close
    closer.addEventListener('click', () => viewer.close())
    viewer.element?.append(closer)
    viewer.element?.setAttribute('aria-modal', 'true')
    viewer.element?.setAttribute('aria-label', small?.alt || close)
    closer.focus()
  })
  viewer.on('destroy', () => button.focus())
  viewer.init()
  if (near) viewer.zoomTo(viewer.currSlide?.zoomLevels.secondary ?? 1, near, 0)
}

let isStyled = false

async function loadStyle(path: string): Promise<void> {
  if (isStyled) return
  isStyled = true
  const link = document.createElement('link')
  link.rel = 'stylesheet'
  link.href = path
  const { promise, resolve } = Promise.withResolvers<void>()
  // Without it the picture is shown all the same.
  link.addEventListener('load', () => resolve())
  link.addEventListener('error', () => resolve())
  document.head.append(link)
  await promise
}
