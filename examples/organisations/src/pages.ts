import type { Session } from '@latchkey/session'
import { html } from 'hono/html'
import type { Role } from './claims.js'

interface Organisation {
  readonly id: string
  readonly name: string
  /** The role of the user in it. */
  readonly role: Role
}

interface HomeProps extends Pick<Session, 'user'> {
  readonly active?: Organisation | undefined
  readonly own?: readonly Organisation[]
  readonly members?: readonly { readonly person: string; readonly email: string; role: Role }[]
}

type Html = ReturnType<typeof html>

const page = (content: Html) =>
  html`<!doctype html><meta charset="utf-8"><title>Organizations</title>${content}`

/** `html` escapes the values that it inserts: people type names and addresses. */
export function Home({ user, active, own = [], members = [] }: HomeProps): Html {
  if (!user) return page(html`<p><a href="/auth/signin?callbackUrl=/">Sign in</a></p>`)
  return page(html`<p>You are ${user.email}. <a href="/auth/account">Your account</a></p>
<h1>${active ? `${active.name}: you are ${active.role}` : 'No organization is active'}</h1>
${active && Active(active, members)}
<h2>Your organizations</h2>
<ul>${own.map(({ id, name }) => html`<li>${name} <button data-organisation="${id}">Switch</button></li>`)}</ul>
<form method="post" action="/organisations"><input name="name" required maxlength="40"> <button>Found an organization</button></form>
<script type="module">
// With @latchkey/client: update({ organisation }, { refresh: true })
for (const button of document.querySelectorAll('[data-organisation]')) button.onclick = async () => {
  const { csrfToken } = await (await fetch('/auth/csrf')).json()
  const body = JSON.stringify({ csrfToken, data: { organisation: button.dataset.organisation }, refresh: true })
  await fetch('/auth/session', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  location.assign('/')
}
</script>`)
}

function Active({ id, role }: Organisation, members: HomeProps['members']): Html {
  const form = (action: string, content: Html) =>
    html`<form method="post" action="${action}"><input type="hidden" name="organisation" value="${id}">${content}</form>`
  const other = (one: Role): Role => (one === 'admin' ? 'member' : 'admin')
  const isAdmin = role === 'admin'
  return html`<ul>${members?.map((one) => {
    const person = html`<input type="hidden" name="person" value="${one.person}">`
    const next = other(one.role)
    return html`<li>${one.email}, ${one.role}
${isAdmin && form('/members/role', html`${person}<button name="role" value="${next}">Make ${next}</button>`)}
${isAdmin && form('/members/remove', html`${person}<button>Remove</button>`)}</li>`
  })}</ul>
${isAdmin && form('/invitations', html`<input name="address" type="email" required> <button name="role" value="member">Invite</button>`)}
${isAdmin && form('/organisations/remove', html`<button>Remove the organization</button>`)}`
}

export function Join({ sealed, name }: { readonly sealed: string; readonly name: string }): Html {
  return page(html`<h1>Join ${name}?</h1>
<form method="post" action="/join"><input type="hidden" name="invitation" value="${sealed}"><button>Join</button></form>`)
}

export function Message(text: string): Html {
  return page(html`<p>${text}</p><p><a href="/">Back</a> <a href="/auth/signout">Sign out</a></p>`)
}
