import { describe, expect, it } from 'vitest'
import { RecoveryCodesPage } from '../features/second-factor/recovery-codes-page.js'
import { inEnglish } from '../test-support/english.js'
import { CopyButton, DownloadButton, hasCopyButtons } from './copy-buttons.js'
import { COPY_SCRIPT } from './copy-script.js'

/** A button as the script sees it. */
function buttonWith(dataset: Record<string, string>, text: string) {
  const label = { textContent: text }
  let click = async () => {}
  return {
    dataset,
    hidden: true,
    label,
    querySelector: () => label,
    addEventListener: (_: string, handle: () => Promise<void>) => {
      click = handle
    },
    press: () => click(),
  }
}

/** A page with two codes, and what its script does. */
function run(clipboard?: { writeText(text: string): Promise<void> }) {
  const copy = buttonWith({ copied: 'Copied' }, 'Copy')
  const save = buttonWith({ file: 'recovery-codes.txt' }, 'Download')
  const later: (() => void)[] = []
  const files: { name: string; href: string; text: Promise<string> }[] = []
  const blobs: Blob[] = []
  const document = {
    title: 'Recovery codes · Acme',
    querySelectorAll: (selector: string) =>
      selector === 'main code'
        ? [{ textContent: 'k7qm-2xrb' }, { textContent: 'JB SW' }]
        : [copy, save],
    createElement: () => {
      const link = {
        href: '',
        download: '',
        click: () =>
          files.push({
            name: link.download,
            href: link.href,
            text: blobs[0]?.text() ?? Promise.reject(),
          }),
      }
      return link
    },
  }
  const URL = {
    createObjectURL: (blob: Blob) => `blob:${blobs.push(blob)}`,
    revokeObjectURL: () => {},
  }
  const names = ['document', 'navigator', 'URL', 'setTimeout']
  const setTimeout = (work: () => void) => void later.push(work)
  new Function(...names, COPY_SCRIPT)(document, { clipboard }, URL, setTimeout)
  return { copy, save, later, files }
}

describe('the script of codes to keep', () => {
  it('copies them by line, says so twice over, and then offers it again', async () => {
    const written: string[] = []
    const { copy, later } = run({ writeText: async (text) => void written.push(text) })
    expect(copy.hidden).toBe(false)
    await copy.press()
    await copy.press()
    expect(written).toEqual(['k7qm-2xrb\nJBSW', 'k7qm-2xrb\nJBSW'])
    expect(copy.label.textContent).toBe('Copied')
    for (const work of later) work()
    expect(copy.label.textContent).toBe('Copy')
  })

  it('saves them under a name, with the title of the page, and no code is in an address', async () => {
    const { save, files } = run()
    await save.press()
    expect(files.map(({ name, href }) => [name, href])).toEqual([['recovery-codes.txt', 'blob:1']])
    expect(await files[0]?.text).toBe('Recovery codes · Acme\n\nk7qm-2xrb\nJBSW\n')
  })

  it('offers no copy if a browser has no clipboard', () => {
    const { copy, save } = run()
    expect([copy.hidden, save.hidden]).toEqual([true, false])
  })
})

it('the buttons are hidden until the script shows them, and the codes stand once in the page', () => {
  const codes = ['k7qm-2xrb-9wd0-hj4t']
  const page = RecoveryCodesPage({ theme: {}, words: inEnglish, codes, target: '/' })
  expect(hasCopyButtons(page)).toBe(true)
  expect(page.split('k7qm')).toHaveLength(2)
  for (const button of [CopyButton(inEnglish), DownloadButton('Download', 'a.txt')]) {
    expect(String(button)).toMatch(/^<button class="button" type="button" data-[^>]* hidden="">/)
  }
})
