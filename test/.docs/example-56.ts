import { createAuth } from '@latchkey/worker'
import GitHub from '@latchkey/worker/providers/github'

export default createAuth({
  providers: [GitHub],
  theme: {
    copy: {
      en: { signIn: { title: 'Welcome back' } },
      de: {
        signIn: { title: 'Schön, dass Sie da sind' },
        factor: {
          codesLeft: {
            one: 'Sie haben noch {count} Code.',
            other: 'Sie haben noch {count} Codes.',
          },
        },
      },
      // Another language: missing texts come from the language nearest to it, here English.
      sv: { signIn: { title: 'Logga in', titleAt: 'Logga in på {name}', or: 'eller' } },
    },
  },
})
