/**
 * What a page does in the browser on which a button comes later: the sentence in its place counts the seconds. The
 * style sheet shows the button, also without this script. "npm run generate" makes the text of it that the page has.
 */
function countDown(): void {
  const { lang } = document.documentElement
  const rules = new Intl.PluralRules(lang)
  for (const said of document.querySelectorAll<HTMLElement>('[data-seconds]')) {
    const { seconds, forms = '{}' } = said.dataset
    // The forms of the sentence, by the categories of numbers that the language has.
    const texts = JSON.parse(forms) as Record<string, string>
    const label = said.querySelector('span') ?? said
    const end = performance.now() + Number(seconds) * 1_000
    const timer = setInterval(() => {
      const left = Math.ceil((end - performance.now()) / 1_000)
      if (left < 1) return clearInterval(timer)
      const text = texts[rules.select(left)] ?? texts.other
      label.textContent = String(text).replace('{count}', String(left))
    }, 1_000)
  }
}

countDown()
