import { describe, expect, it } from 'vitest'
import { ProcessCounter } from './process-counter.js'

const waits = async (
  counter: ProcessCounter,
  name: string,
  count: number,
  now = 1_000,
  max = 3,
) => {
  const found: number[] = []
  for (let at = 0; at < count; at++) found.push((await counter.admit(name, max, now)).wait)
  return found
}

describe('attempts that this process counts', () => {
  it('are so many in a minute; then they wait for its end', async () => {
    const counter = new ProcessCounter()
    expect(await waits(counter, 'a', 5)).toEqual([0, 0, 0, 60, 60])
    expect(await waits(counter, 'a', 1, 1_059)).toEqual([1])
    expect(await waits(counter, 'a', 4, 1_060)).toEqual([0, 0, 0, 60])
  })

  it('by others do not count', async () => {
    const counter = new ProcessCounter()
    await waits(counter, 'a', 5)
    expect(await waits(counter, 'b', 1)).toEqual([0])
  })

  it('many at once count as many', async () => {
    const counter = new ProcessCounter()
    const all = await Promise.all(Array.from({ length: 50 }, () => counter.admit('a', 3, 1_000)))
    expect(all.filter(({ wait }) => wait === 0)).toHaveLength(3)
  })

  it('that are taken back do not count, and never more than they did', async () => {
    const counter = new ProcessCounter()
    const counted = await counter.admit('a', 3, 1_000)
    const refused = await waits(counter, 'a', 3)
    expect(refused).toEqual([0, 0, 60])
    const { takeBack } = await counter.admit('a', 3, 1_000)
    takeBack()
    expect(await waits(counter, 'a', 1)).toEqual([60])
    counted.takeBack()
    expect(await waits(counter, 'a', 2)).toEqual([0, 60])
  })

  it('in the previous period are not taken from this one', async () => {
    const counter = new ProcessCounter()
    const { takeBack } = await counter.admit('a', 3, 1_000)
    expect(await waits(counter, 'a', 3, 1_060)).toEqual([0, 0, 0])
    takeBack()
    expect(await waits(counter, 'a', 1, 1_060)).toEqual([60])
  })

  it('for a name that is closed wait until the minute is over', async () => {
    const counter = new ProcessCounter()
    await counter.close('a', 1_000)
    expect(await waits(counter, 'a', 1, 1_001)).toEqual([59])
    expect(await waits(counter, 'b', 1, 1_001)).toEqual([0])
    expect(await waits(counter, 'a', 1, 1_060)).toEqual([0])
  })

  it('are not kept out for longer than a minute by a clock that was set back', async () => {
    const counter = new ProcessCounter()
    await waits(counter, 'a', 4, 9_000)
    expect(await waits(counter, 'a', 1, 1_000)).toEqual([0])
  })

  it('a flood from 5,000 other networks makes it forget no count, and lets others in', async () => {
    const counter = new ProcessCounter()
    await waits(counter, 'a', 30, 1_000, 30)
    for (let network = 0; network < 5_000; network++) {
      await waits(counter, `flood ${network}`, 1, 1_000, 30)
    }
    expect(await waits(counter, 'a', 1, 1_000, 30)).toEqual([60])
    // By chance others share all of its counters: some attempts, but no four of them in a lifetime of runs.
    expect(await waits(counter, 'b', 27, 1_000, 30)).not.toContain(60)
  })
})
