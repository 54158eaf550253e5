import { answer } from '../answer.js'
import { onlyOptions, parsed } from '../arguments.js'
import { type Command, type ExitCode, type Terminal, WrongUse } from '../command.js'
import { printable } from '../printable.js'
import { shellWord } from '../shell-word.js'
import { newWebhookSecret } from '../webhooks/new-secret.js'
import { newOperatorKey, newSecret } from './new-secrets.js'
import { type Added, rotate } from './rotate.js'

const HELP = `Makes secrets and keys. It uses no network.

Usage: latchkey secret
       latchkey secret operator <name> [--manage]
       latchkey secret webhook
       latchkey secret rotate --vars <file>

Without a word it prints a new AUTH_SECRET: 64 hexadecimal digits.

  operator <name>  a key of the operator API, for AUTH_OPERATOR_KEY of its
                   owner, and its entry for AUTH_OPERATOR_KEYS of the service.
                   The name has 1 to 32 of a-z, 0-9 and -, and is in the audit
                   log
    --manage       the key may change something; otherwise it only reads
  webhook          a secret for AUTH_WEBHOOK_SECRET and for the receiver
  rotate           adds the next AUTH_SECRET_<n> to a file of variables, and
                   says what you do next. It changes nothing else and prints no
                   value
    --vars <file>  such as .dev.vars or .env
  --json           prints { secret }, { key, entry } or { file, added }

Exit code: 0 if it is done, 1 if there is nothing to rotate or AUTH_SECRET_3 is
taken, 2 for wrong use.
`

const OPTIONS = { manage: { type: 'boolean' }, vars: { type: 'string' } } as const

/** Makes secrets and keys. */
export const secret: Command = {
  help: HELP,
  async run(args, terminal): Promise<ExitCode> {
    const { values, positionals } = parsed(args, OPTIONS)
    const [what, ...rest] = positionals
    const part = what === undefined ? 'latchkey secret' : `latchkey secret ${printable(what)}`
    if (what === 'operator') {
      onlyOptions(values, ['manage'], part)
      operator(rest, values.manage === true, terminal)
    } else if (what === 'rotate') {
      onlyOptions(values, ['vars'], part)
      none(rest, part)
      await rotateFile(values.vars, terminal)
    } else if (what === undefined || what === 'webhook') {
      onlyOptions(values, [], part)
      none(rest, part)
      const made = what === 'webhook' ? newWebhookSecret() : newSecret()
      answer(terminal, { secret: made }, () => `${made}\n`)
    } else {
      throw new WrongUse('It makes a secret, or one of: operator, webhook, rotate.')
    }
    return 0
  },
}

/** @throws {WrongUse} */
function none(rest: readonly string[], part: string): void {
  if (rest.length > 0) throw new WrongUse(`${part} takes no more words.`)
}

function operator(names: readonly string[], manages: boolean, terminal: Terminal): void {
  const [name] = names
  if (name === undefined || names.length > 1 || !/^[a-z0-9-]{1,32}$/.test(name)) {
    throw new WrongUse('Name the key with 1 to 32 of a-z, 0-9 and -, such as `night-shift`.')
  }
  if (name === 'binding') {
    throw new WrongUse('Choose another name: in the audit log `binding` is a call of the service.')
  }
  const made = newOperatorKey(name, manages ? 'manage' : 'read')
  answer(terminal, made, () => `key    ${made.key}\nentry  ${made.entry}\n`)
  if (!terminal.isJson) terminal.note(OPERATOR_NEXT)
}

const OPERATOR_NEXT = `
Next:
  1. Add the entry to AUTH_OPERATOR_KEYS of the service, after a comma if there
     are others. The list has no secret: keep it in [vars] of the wrangler file,
     or on Node in the app's file of variables. "wrangler secret put" replaces
     the whole list.
  2. Give the key to its owner, for AUTH_OPERATOR_KEY in their environment. It
     is not shown again, and nobody can compute it from the entry.
`

async function rotateFile(file: string | undefined, terminal: Terminal): Promise<void> {
  if (file === undefined) throw new WrongUse('Name the file of variables: --vars <file>.')
  const added = await rotate(file, terminal.directory)
  const shown = printable(file)
  answer(terminal, { file, added: added.name }, () => `${added.name} was added to ${shown}.\n`)
  const next = nextAfter(added, shown)
  if (terminal.isJson) terminal.note(next)
  else terminal.print(next)
}

/** An app that verifies by the secret has to know it before the service signs with it. */
function nextAfter({ name, start, hasCarriageReturns }: Added, file: string): string {
  const quoted = shellWord(file)
  const strip = hasCarriageReturns ? " tr -d '\\r' |" : ''
  return `
Next, in this order:
  1. Give ${name} to every app that verifies with the secret, beside the
     old ones, and restart these apps.
  2. Then give it to the service. From then on it signs. Nobody is signed out:
       sed -n 's/^${start}//p' ${quoted} | tail -n 1 |${strip}
         npx wrangler secret put ${name}
     A service on Node is restarted with the file.
  3. Give apps with AUTH_PUBLIC_KEYS the new list, from /auth/jwks.json, at
     once: until then they refuse the new tokens.
  4. Keep the old secret for as long as people may stay away: without it,
     passwords and authenticator apps that nobody has used since count as wrong,
     until the person sets a new password by mail, or takes a recovery code.
     Sessions need it for 30 days by default. API keys made before end with it.
     If it has leaked, remove it now, and its sessions end.
`
}
