/**
 * What a page does in the browser that shows codes to keep: its buttons copy them, and save them as a file. Each is
 * hidden until it can. "npm run generate" makes the text of it that the pages have.
 */
function offerCopies(): void {
  const codes = () =>
    [...document.querySelectorAll('main code')]
      .map(({ textContent }) => textContent.replaceAll(' ', ''))
      .join('\n')

  /** By an address of this page alone, so that no code is in the list of downloads. */
  function save(name: string): void {
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([document.title, '\n\n', codes(), '\n']))
    link.download = name
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
  }

  for (const button of document.querySelectorAll<HTMLElement>('[data-copied],[data-file]')) {
    const { copied = '', file } = button.dataset
    // Browsers have no clipboard for a page without https.
    if (!file && !navigator.clipboard) continue
    const label = button.querySelector('span') ?? button
    const text = label.textContent
    button.hidden = false
    button.addEventListener('click', async () => {
      if (file) return save(file)
      await navigator.clipboard.writeText(codes())
      label.textContent = copied
      setTimeout(() => {
        label.textContent = text
      }, 2_000)
    })
  }
}

offerCopies()
