import type { Words } from '../languages/texts.js'
import { attributes, html, type Markup } from './markup.js'

/** A question before something is taken away. Every string may be hostile, except the id. */
export interface AskFirstProps {
  words: Words
  /** One of its own on the page. */
  id: string
  /** The text of the button. */
  text: string
  /** The text that screen readers read for both buttons; left out: their own text. */
  label?: string | undefined
  warning: string
  /** The address that gets the form. */
  action: string
  /** The hidden fields of the form. */
  fields: Markup
  /** The id of what says why it cannot be done; left out: it can. */
  disabledBy?: string | undefined
}

/**
 * A button that asks, and a form that does it, in a box over the page. It takes no script: a browser that knows no
 * popover shows the form in the place of the button.
 */
export function AskFirst(props: AskFirstProps): Markup {
  const { words, id, text, label } = props
  const isDisabled = props.disabledBy !== undefined
  const asking = attributes({
    'aria-label': label,
    disabled: isDisabled,
    'aria-describedby': props.disabledBy,
  })
  const doing = attributes({ 'aria-label': label, disabled: isDisabled })
  return html`
    <button class="button" type="button" popovertarget="${id}"${asking}><span>${text}</span></button>
    <div class="ask" id="${id}" popover="" role="dialog" aria-label="${label ?? text}">
      <p aria-hidden="true" data-title="${label ?? text}"></p>
      <p class="dim">${props.warning}</p>
      <form method="post" action="${props.action}">
        ${props.fields}
        <button class="button bad" type="submit"${doing}><span>${text}</span></button>
      </form>
      <button class="button" type="button" popovertarget="${id}" popovertargetaction="hide" autofocus=""><span>${words.texts.signOut.cancel}</span></button>
    </div>`
}
