import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { PAGE_SCRIPT } from './page-script.js'

it('is small', () => {
  expect(gzipSync(PAGE_SCRIPT).length).toBeLessThan(1_500)
})

it('is whole inside of a page, and makes no markup and no code of a text', () => {
  expect(PAGE_SCRIPT).not.toMatch(/<\/?script|<!--/i)
  expect(PAGE_SCRIPT).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b/)
})
