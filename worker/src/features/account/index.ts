import type { Feature } from '../../service/feature.js'
import { people } from '../people/index.js'
import { ways } from '../ways/index.js'
import { type AccountSettings, accountSettings, deleteAccount } from './delete-account.js'
import { accountSection, hasSection, account as page, sectionOfFeature } from './route.js'
import { styles } from './styles.js'
import { texts } from './texts.js'

/** The pages on which a user sees and changes their account. */
export const account: Feature<AccountSettings> = {
  name: 'account',
  needs: [ways, people],
  configure: accountSettings,
  pages: {
    texts,
    styles,
    routes: {
      '/account': { GET: page },
      '/account/sessions': { GET: accountSection('sessions') },
      '/account/ways': { GET: accountSection('ways') },
      '/account/security': { GET: accountSection('security') },
      '/account/delete': { POST: deleteAccount },
      // After those above, which it would match too. The section stands in the place of a provider.
      '/account/:provider': { GET: sectionOfFeature, isThere: hasSection },
    },
  },
}
