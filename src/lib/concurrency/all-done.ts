/** Like `Promise.all`, but if one fails it waits for the others too, so that no work goes on after the caller has returned. */
export async function allDone<const Works extends readonly Promise<unknown>[]>(
  works: Works,
): Promise<{ -readonly [Index in keyof Works]: Awaited<Works[Index]> }> {
  await Promise.allSettled(works)
  return Promise.all(works)
}
