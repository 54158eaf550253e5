import { CredentialsSignin } from '@latchkey/sveltekit'
import credentials from '@latchkey/sveltekit/providers/credentials'
import videoapp from '@latchkey/sveltekit/providers/videoapp'

const SERVER_CODE = 'only-the-server-knows-this'
class Wrong extends CredentialsSignin {
  code = 'x\r\nset-cookie: evil=1'
}

/** A new object for each request: the hardest case for state that is kept between them. */
export function config(tenant) {
  return {
    secret: `${process.env.AUTH_SECRET}-${tenant}`,
    providers: [
      videoapp(),
      credentials({
        name: `Password of ${tenant}`,
        authorize({ username, password, ...rest }) {
          if (password === 'header') throw new Wrong()
          if (password === 'throw') throw new Error(SERVER_CODE)
          if (password !== 'lovelace') return null
          return { id: `${tenant}-${username}`, name: username, more: Object.keys(rest) }
        },
      }),
    ],
  }
}
