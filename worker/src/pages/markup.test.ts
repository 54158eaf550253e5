import { describe, expect, it } from 'vitest'
import { attributes, html } from './markup.js'

describe('html', () => {
  it('escapes text, and does not escape markup again', () => {
    const name = html`<b>${`<i>&"'`}</b>`
    expect(String(html`<p title="${'"'}">${name}</p>`)).toBe(
      '<p title="&quot;"><b>&lt;i&gt;&amp;&quot;&#39;</b></p>',
    )
  })

  it('joins lists, and writes nothing for absent values', () => {
    expect(String(html`${['<', [html`<br/>`, 7]]}${false}${null}${undefined}`)).toBe('&lt;<br/>7')
  })

  it('escapes values that only claim to be markup', () => {
    const claim = Object.assign(['<b>'], { isEscaped: true })
    expect(String(html`${claim}`)).toBe('&lt;b&gt;')
    expect(String(html`${{ isEscaped: true, toString: () => '<b>' } as never}`)).toBe('&lt;b&gt;')
    expect(String(html`${new String('<b>') as never}`)).toBe('&lt;b&gt;')
  })

  it('takes no promises', () => {
    expect(html`${html`a`}${[html`b`]}`).not.toBeInstanceOf(Promise)
    // @ts-expect-error a promise would make the whole page one
    html`${Promise.resolve('a')}`
  })
})

describe('attributes', () => {
  it('quotes and escapes every value', () => {
    const input = html`<input${attributes({ name: 'a b', value: `" onfocus='x' >` })}/>`
    expect(String(input)).toBe('<input name="a b" value="&quot; onfocus=&#39;x&#39; &gt;"/>')
  })

  it('distinguishes an empty value from an absent one', () => {
    const input = html`<input${attributes({ a: '', b: undefined, c: null, d: false, e: true })}/>`
    expect(String(input)).toBe('<input a="" e=""/>')
  })
})
