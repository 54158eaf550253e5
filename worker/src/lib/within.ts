/**
 * What the work resolves to, unless it takes longer: then it rejects.
 *
 * @param limit milliseconds
 * @param giveUp called at the limit, to end the work itself
 */
export async function within<Result>(
  limit: number,
  work: Promise<Result>,
  giveUp: () => void = () => {},
): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | null = null
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      giveUp()
      reject(new Error(`No answer within ${limit} ms.`))
    }, limit)
  })
  try {
    return await Promise.race([work, silence])
  } finally {
    clearTimeout(timer)
  }
}
