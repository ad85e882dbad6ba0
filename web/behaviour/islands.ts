interface Island {
  start(root: HTMLElement): void
}

/** Parts of pages that a script takes over. Each is a module of its own, loaded when it is seen. */
const islands: Readonly<Record<string, () => Promise<Island>>> = {
  grid: () => import('../islands/grid/grid.ts'),
  lightbox: () => import('../islands/lightbox/tiles.ts'),
  viewer: () => import('../islands/viewer/viewer.ts'),
  charts: () => import('../islands/charts/charts.ts'),
  mine: () => import('../islands/mine/index.ts'),
}

/** If a module cannot be loaded, the page stays as the server has written it. */
export function startIslands(): void {
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting || !(target instanceof HTMLElement)) continue
      observer.unobserve(target)
      islands[target.dataset.island ?? '']?.().then(
        (island) => island.start(target),
        () => undefined,
      )
    }
  })
  for (const root of document.querySelectorAll('[data-island]')) observer.observe(root)
}
