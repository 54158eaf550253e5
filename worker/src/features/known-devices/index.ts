import { keepDevice, rememberDevice } from '../../http/device-cookie.js'
import type { Feature } from '../../service/feature.js'

/** A browser that has signed in is counted by itself, so that a stranger's wrong tries do not lock its owner out. */
export const knownDevices: Feature = {
  name: 'known-devices',
  devices: { remember: rememberDevice, keep: keepDevice },
  session: {
    async begun(request, { account }, { limited, hasCode }) {
      if (limited !== undefined) await rememberDevice(request, limited, account.userId, hasCode)
    },
  },
}
