import { env } from 'cloudflare:workers'
import { createAuth } from '@latchkey/worker'
import type { AuthBindings } from '@latchkey/worker/ledger'
import credentials from '@latchkey/worker/providers/credentials'
import email from '@latchkey/worker/providers/email'
import videoapp from '@latchkey/worker/providers/videoapp'
import { matches, NOBODY } from './passwords.js'
import { deletePostsOf, type PostsEnv, postDue } from './posts.js'
import { findUser } from './users.js'

export { Ledger } from '@latchkey/worker/ledger'

type Env = AuthBindings & PostsEnv

/** Your own auth Worker: the video app, passwords and sign-in by email side by side. */
const auth = createAuth<Env>({
  basePath: '/auth',
  providers: [
    videoapp({ scope: 'user.info.profile,video.publish' }),
    credentials({
      name: 'Password',
      credentials: {
        username: { label: 'User name', required: true },
        password: { label: 'Password', type: 'password', required: true },
      },
      async authorize({ username, password }) {
        if (typeof username !== 'string' || typeof password !== 'string') return null
        const user = findUser(username)
        const isRight = await matches(password, user?.password ?? NOBODY)
        return user && isRight ? { id: user.id, name: user.name, email: user.email } : null
      },
    }),
    email({ from: 'Latchkey <sign-in@example.com>' }),
  ],
  accountDeletion: true,
  events: {
    // What the app itself keeps of a person is the app's to delete.
    deletePerson: ({ sub }) => deletePostsOf(env as Env, sub),
  },
})

export default {
  fetch(request, env, ctx) {
    // On a domain of its own the Worker has no other page at the root, where people arrive by
    // default.
    if (new URL(request.url).pathname === '/') {
      return new Response(null, { status: 302, headers: { location: '/auth/signin' } })
    }
    return auth.fetch(request, env, ctx)
  },

  /** Posts in the names of users with the video app, whether they are signed in or not. */
  scheduled({ scheduledTime }, env, ctx) {
    return postDue(env, scheduledTime, (sub) => auth.getAccessTokenOf(sub, 'videoapp', env, ctx))
  },
} satisfies ExportedHandler<Env>
