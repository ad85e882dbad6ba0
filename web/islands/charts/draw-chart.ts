import uPlot from 'uplot'
import type { Column } from './read-table.ts'

const height = 160

interface Chart extends Column {
  days: readonly string[]
  width: number
  /** Says the value of a day, which the pointer or the arrow keys have reached. */
  showValue: (index: number) => void
}

/** A chart in the colours of the page, gone through by pointer and arrow keys. */
export function drawChart(place: HTMLElement, { days, values, isLevel, isSize, width, showValue }: Chart) {
  const last = days.length - 1
  const [ink, line, soft] = [colourOf(place, 'color'), colourOf(place, 'border-top-color'), softOf(place)]
  const axis = { stroke: soft, grid: { stroke: line, width: 1 }, ticks: { show: false } }
  const numbers = new Intl.NumberFormat(document.documentElement.lang, { notation: 'compact' })
  const plot = new uPlot(
    {
      width,
      height,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { show: isLevel } },
      scales: {
        x: { time: false, range: [-0.5, last + 0.5] },
        y: { range: (_, _least, most) => [0, most || 1] },
      },
      axes: [
        {
          ...axis,
          size: 32,
          grid: { show: false },
          splits: () => daysShown(last),
          values: (_, at) => at.map((index) => days[index] ?? ''),
        },
        {
          ...axis,
          size: 56,
          values: (_, at) => at.map((value) => (isSize ? sizeOf(value, numbers) : wholeOf(value, numbers))),
        },
      ],
      series: [
        {},
        {
          stroke: ink,
          fill: isLevel ? undefined : ink,
          width: isLevel ? 2 : 0,
          points: { show: false },
          ...(!isLevel && { paths: uPlot.paths.bars?.({ size: [0.7, 40] }) }),
        } as uPlot.Series,
      ],
      hooks: {
        setCursor: [({ cursor: { idx } }) => showValue(idx ?? last)],
      },
    },
    [days.map((_, index) => index), values],
    place,
  )
  place.addEventListener('keydown', (event) => {
    const at = plot.cursor.idx ?? last
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key]
    if (to === undefined) return
    event.preventDefault()
    const index = Math.min(Math.max(to, 0), last)
    plot.setCursor({ left: plot.valToPos(index, 'x'), top: 0 })
  })
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => plot.redraw(false))
  return { resize: (size: number) => size !== plot.width && plot.setSize({ width: size, height }) }
}

/** The first, the middle and the last day: more would touch each other on a phone. */
const daysShown = (last: number) => [0, Math.round(last / 2), last]

/** Read when it is drawn, so that a change of the theme changes it. */
const colourOf = (element: HTMLElement, name: string) => () =>
  getComputedStyle(element).getPropertyValue(name)

const softOf = (place: HTMLElement) => () =>
  getComputedStyle(place.parentElement ?? place).getPropertyValue('color')

/** Counts are whole: a tick between two of them says nothing. */
const wholeOf = (value: number, numbers: Intl.NumberFormat) =>
  Number.isInteger(value) ? numbers.format(value) : ''

const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB']

function sizeOf(bytes: number, numbers: Intl.NumberFormat): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1)
  return `${numbers.format(bytes / 1_000 ** power)} ${units[power]}`
}
