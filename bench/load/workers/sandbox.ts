import { createSandbox, type Sandbox } from '@latchkey/sandbox'

interface Env {
  readonly ORIGIN: string
  readonly CLIENT: string
  readonly SECRET: string
  readonly PEOPLE: string
}

let sandbox: Sandbox | undefined

/** The stand-in for the video app, where as many people are known as the load has. */
export default {
  fetch(request: Request, env: Env, ctx: ExecutionContext): Response | Promise<Response> {
    sandbox ??= createSandbox({
      // On a busy machine it takes more than a minute until the line gets to the callback.
      lifetimes: { code: 600 },
      clients: [
        {
          clientKey: env.CLIENT,
          clientSecret: env.SECRET,
          type: 'web',
          redirectUris: [`${env.ORIGIN}/auth/callback/videoapp`],
        },
      ],
      people: Array.from({ length: Number(env.PEOPLE) }, (_, number) => ({
        id: String(number),
        profile: { display_name: `Person ${number}`, username: `person.${number}` },
      })),
    })
    return sandbox.fetch(request, env, ctx)
  },
}
