/** The button is hidden where a page cannot have the whole screen, as on a phone of Apple's. */
export function startFullScreen(root: ParentNode): void {
  if (!document.fullscreenEnabled) return
  for (const button of root.querySelectorAll<HTMLButtonElement>('[data-full-screen]')) {
    button.hidden = false
    button.addEventListener('click', () => {
      if (document.fullscreenElement) void document.exitFullscreen()
      else void button.closest('.stage')?.requestFullscreen()
    })
  }
}
