import { type Outcome, showPage } from '../../http/outcome.js'
import { type FormHead, formHead } from '../../http/page-head.js'
import type { AuthRequest } from '../../http/request.js'
import { homeOf, resolveCallbackUrl } from '../../http/targets.js'
import { BackLink, Card, HiddenFields } from '../../pages/layout.js'
import { html, type Markup } from '../../pages/markup.js'

/** GET /password: asks for the address, of a new account and of a forgotten password alike. */
export async function askPage(request: AuthRequest): Promise<Outcome> {
  const callbackUrl = await resolveCallbackUrl(
    request,
    request.query.get('callbackUrl') ?? undefined,
  )
  const head = await formHead(request)
  const { words } = head
  const page = AskPage({ ...head, callbackUrl, home: homeOf(request, callbackUrl) })
  return showPage(words, words.texts.password.link, page)
}

/** The page with one field for the address. */
export function AskPage(
  props: FormHead & { readonly callbackUrl: string; readonly home: string },
): Markup {
  const { theme, words, base, human } = props
  const { password: texts, ways } = words.texts
  const query = new URLSearchParams({ callbackUrl: props.callbackUrl }).toString()
  return Card({
    theme,
    title: texts.link,
    lead: texts.askHow,
    content: html`
      <form class="fields" method="post" action="${base}/signin/password">
        ${HiddenFields(props)}
        <div>
          <label for="email">${ways.address}</label>
          <input id="email" name="email" type="email" required="" autocomplete="username" autofocus=""/>
        </div>${human}
        <button class="button main" type="submit"><span>${ways.sendLink}</span></button>
      </form>
      <p class="mid back"><a href="${base}/signin?${query}">${words.texts.ways.submit}</a></p>
      ${BackLink(props)}`,
  })
}
