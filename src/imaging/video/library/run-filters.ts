import { allocated, checked, type FilterContext, type Frame, type Libav, present } from './libav.ts'

/** Passes one frame through a chain of filters, in this thread. */
export function filtered(
  libav: Libav,
  frame: Frame,
  filters: readonly [name: string, options: string][],
  stack: DisposableStack,
): Frame {
  const graph = allocated(stack, libav.FilterGraph)
  graph.nbThreads = 1
  const { width, height, format, colorSpace, colorRange } = frame
  const size = `video_size=${width}x${height}:pixel_aspect=1/1:time_base=1/1000`
  const chain = [
    ['buffer', `${size}:pix_fmt=${format}:colorspace=${colorSpace}:range=${colorRange}`] as const,
    ...filters,
    ['buffersink', ''] as const,
  ].map(([name, options], index) => {
    const filter = present(libav.Filter.getByName(name), `filter ${name}`)
    return present(
      graph.createFilter(filter, `${name}${index}`, options === '' ? null : options),
      `filter ${name}=${options}`,
    )
  })
  for (const [index, each] of chain.entries()) {
    const next = chain[index + 1]
    if (next !== undefined) checked(libav, 'link', each.link(0, next, 0))
  }
  checked(libav, 'filters', graph.configSync())
  const [source, sink] = [chain.at(0), chain.at(-1)] as [FilterContext, FilterContext]
  checked(libav, 'filter', source.buffersrcAddFrameSync(frame, 0))
  checked(libav, 'filter', source.buffersrcAddFrameSync(null, 0))
  const result = allocated(stack, libav.Frame)
  checked(libav, 'filter', sink.buffersinkGetFrameSync(result))
  return result
}
