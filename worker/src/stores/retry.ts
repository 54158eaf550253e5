/**
 * The first answer to a question that may be lost on its way: after a pause without an answer it is asked
 * again beside the first time, and where the first time fails, at once.
 *
 * @param pauses milliseconds before each repetition
 * @throws whatever failed last, when nothing that was asked can still be answered
 */
export function withRetries<Answer>(
  ask: () => Promise<Answer>,
  pauses: readonly number[],
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let stop = () => {}
    let asked = 0
    let open = 0
    const begin = () => {
      stop()
      const pause = pauses[asked++]
      open++
      if (pause !== undefined) {
        const timer = setTimeout(begin, pause)
        stop = () => clearTimeout(timer)
      }
      ask().then(
        (answer) => {
          stop()
          resolve(answer)
        },
        (error) => {
          open--
          if (asked === 1 && pauses.length > 0) begin()
          else if (open === 0) {
            stop()
            reject(error)
          }
        },
      )
    }
    begin()
  })
}
