import type { FC } from 'hono/jsx'
import { Layout } from './page.js'
import type { Person } from './people.js'
import { basicScope, type Scope } from './scopes.js'

const scopeWords: Record<Scope, string> = {
  'user.info.basic': 'Name and profile picture',
  'user.info.profile': 'User name, bio and profile link',
  'user.info.stats': 'Counts of followers, likes and videos',
  'video.list': 'The list of public videos',
  'video.publish': 'Post videos in your name',
}

const initial = (name: string): string => [...name][0] ?? '?'

const PersonChoice: FC<{ person: Person; checked: boolean }> = ({ person, checked }) => {
  const { display_name, username } = person.profile
  return (
    <label class="choice">
      <input type="radio" name="person" value={person.id} checked={checked} required />
      <span class="avatar" aria-hidden="true">
        {initial(display_name)}
      </span>
      <span class="words">
        <bdi>{display_name}</bdi>
        <small>{username === undefined ? 'no user name' : `@${username}`}</small>
      </span>
    </label>
  )
}

const ScopeChoice: FC<{ scope: Scope }> = ({ scope }) => (
  <label class="choice">
    <input
      type="checkbox"
      name="scope"
      value={scope}
      checked
      disabled={scope === basicScope ? true : undefined}
    />
    <span class="words">
      <span>{scopeWords[scope]}</span>
      <small>{scope === basicScope ? `${scope}, always shared` : scope}</small>
    </span>
  </label>
)

interface ConsentPageProps {
  readonly action: string
  readonly clientName: string
  readonly redirectUri: string
  readonly people: readonly Person[]
  readonly scopes: readonly Scope[]
}

/**
 * Asks for the person, and for the scopes of the app. Fields: `person`, `scope`…,
 * `decision`.
 */
export const ConsentPage: FC<ConsentPageProps> = (props) => (
  <Layout title="Sign in">
    <h1>
      <bdi>{props.clientName}</bdi> wants to sign you in
    </h1>
    <form method="post" action={props.action}>
      <fieldset>
        <legend>Continue as</legend>
        {props.people.map((person, index) => (
          <PersonChoice person={person} checked={index === 0} />
        ))}
      </fieldset>
      <fieldset>
        <legend>What the app may see and do</legend>
        {props.scopes.map((scope) => (
          <ScopeChoice scope={scope} />
        ))}
      </fieldset>
      <div class="buttons">
        <button type="submit" name="decision" value="allow">
          Allow
        </button>
        <button type="submit" name="decision" value="cancel" class="plain" formnovalidate>
          Cancel
        </button>
      </div>
      <p class="quiet">
        Either way you go back to <code>{props.redirectUri}</code>
      </p>
    </form>
  </Layout>
)
