import { drawChart } from './draw-chart.ts'
import { type Column, columnsOf } from './read-table.ts'

/** Draws a chart for each column of the table. The table stays below, for those who want the numbers. */
export function start(root: HTMLElement): void {
  const place = root.querySelector<HTMLElement>('.charts')
  const table = root.querySelector('table')
  if (!place || !table) return
  const { days, columns } = columnsOf(table, root.dataset.kinds?.split(' ') ?? [])
  const hint = root.dataset.hint ?? ''
  for (const column of columns) place.append(figureOf(column, { days, hint }))
  root.dataset.isDrawn = 'true'
}

interface Drawing {
  days: readonly string[]
  hint: string
}

function figureOf(column: Column, { days, hint }: Drawing): HTMLElement {
  const figure = document.createElement('figure')
  figure.className = 'chart'
  const caption = figure.appendChild(document.createElement('figcaption'))
  const name = caption.appendChild(document.createElement('span'))
  name.textContent = column.name
  const output = caption.appendChild(document.createElement('output'))
  const plot = figure.appendChild(document.createElement('div'))
  plot.tabIndex = 0
  plot.role = 'group'
  plot.ariaLabel = `${column.name}. ${hint}`
  const showValue = (index: number) => {
    output.textContent = `${days[index]}: ${column.texts[index]}`
  }
  showValue(days.length - 1)
  const observer = new ResizeObserver(([entry]) => {
    const width = Math.floor(entry?.contentRect.width ?? 0)
    if (width === 0) return
    chart ??= drawChart(plot, { ...column, days, width, showValue })
    chart.resize(width)
  })
  let chart: ReturnType<typeof drawChart> | undefined
  observer.observe(plot)
  return figure
}
