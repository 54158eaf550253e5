import { expect, it } from 'vitest'
import { UsedFlows } from './use-up.js'

it('a flow is used once, until it could not be used any more', () => {
  const flows = new UsedFlows()
  expect([flows.use('a', 0, 900), flows.use('b', 0, 900), flows.use('a', 899, 1799)]).toEqual([
    true,
    true,
    false,
  ])
  // An ended flow goes when another one comes.
  flows.use('c', 900, 1800)
  expect([flows.use('a', 900, 1800), flows.use('c', 900, 1800)]).toEqual([true, false])
})

it('a flood of flows is forgotten but for the last ten thousand', () => {
  const flows = new UsedFlows()
  for (let at = 0; at < 10_001; at++) flows.use(`${at}`, 0, 900)
  expect([flows.use('1', 0, 900), flows.use('10000', 0, 900)]).toEqual([false, false])
  expect(flows.use('0', 0, 900)).toBe(true)
})
