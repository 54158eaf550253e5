import { once } from 'node:events'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { joinTabs, type Tab } from './client-tabs.js'

const channels: BroadcastChannel[] = []
afterEach(() => {
  for (const channel of channels.splice(0)) channel.close()
})

const session = (id: string) => ({ expires: '2027-01-01T00:00:00.000Z', user: { id } })

function openTab(state: { shown?: unknown; current?: unknown } = {}) {
  const channel = new BroadcastChannel('latchkey-test')
  channels.push(channel)
  const document = Object.assign(new EventTarget(), {
    visibilityState: 'visible' as 'visible' | 'hidden',
  })
  const window = new EventTarget()
  const refresh = vi.fn(async () => {})
  const current = vi.fn(async () => state.current)
  const tab = { document, addEventListener: window.addEventListener.bind(window) }
  joinTabs(channel, tab as unknown as Tab, () => state.shown, current, refresh)
  const comeBack = async () => {
    document.dispatchEvent(new Event('visibilitychange'))
    await settled()
  }
  const goBack = async (persisted: boolean) => {
    window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted }))
    await settled()
  }
  return { channel, document, state, refresh, current, comeBack, goBack }
}

/** Waits for a check, whose promises are already resolved. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

describe('another tab', () => {
  it('reads its data again when another one announces a sign-in or sign-out', async () => {
    const [here, there] = [openTab(), openTab()]
    const heard = once(there.channel, 'message')
    here.channel.postMessage('changed')
    await heard
    expect(there.refresh).toHaveBeenCalledOnce()
    expect(here.refresh).not.toHaveBeenCalled()
  })
})

it('attack: 400 messages of another tab make the page read its data twice', async () => {
  const [here, there] = [openTab(), openTab()]
  const ends: (() => void)[] = []
  there.refresh.mockImplementation(() => new Promise<void>((resolve) => void ends.push(resolve)))
  for (let count = 0; count < 400; count++) here.channel.postMessage('changed')
  await vi.waitFor(() => expect(there.refresh).toHaveBeenCalledOnce())
  for (let turn = 0; turn < 50; turn++) await settled()
  expect(there.refresh).toHaveBeenCalledOnce()
  ends.shift()?.()
  await settled()
  expect(there.refresh).toHaveBeenCalledTimes(2)
  ends.shift()?.()
  await settled()
  expect(there.refresh).toHaveBeenCalledTimes(2)
})

describe('returning to a tab', () => {
  it('shows a sign-out elsewhere', async () => {
    const tab = openTab({ shown: session('ada'), current: null })
    await tab.comeBack()
    expect(tab.refresh).toHaveBeenCalledOnce()
  })

  it('shows a sign-in elsewhere', async () => {
    const tab = openTab({ shown: null, current: session('ada') })
    await tab.comeBack()
    expect(tab.refresh).toHaveBeenCalledOnce()
  })

  it('shows a sign-in of another person', async () => {
    const tab = openTab({ shown: session('ada'), current: session('bob') })
    await tab.comeBack()
    expect(tab.refresh).toHaveBeenCalledOnce()
  })

  it('waits for a session that is streamed to the page', async () => {
    const tab = openTab({ shown: Promise.resolve(session('ada')), current: session('ada') })
    await tab.comeBack()
    expect(tab.refresh).not.toHaveBeenCalled()
    tab.state.current = null
    await tab.comeBack()
    expect(tab.refresh).toHaveBeenCalledOnce()
  })

  it('changes nothing while the same person is signed in', async () => {
    const renewed = { ...session('ada'), expires: '2028-01-01T00:00:00.000Z' }
    const tab = openTab({ shown: session('ada'), current: renewed })
    await tab.comeBack()
    expect(tab.current).toHaveBeenCalledOnce()
    expect(tab.refresh).not.toHaveBeenCalled()
  })

  it('changes nothing while the session cannot be known', async () => {
    const tab = openTab({ shown: session('ada'), current: undefined })
    await tab.comeBack()
    tab.current.mockRejectedValueOnce(new Error('offline'))
    await tab.comeBack()
    expect(tab.refresh).not.toHaveBeenCalled()
    tab.state.current = null
    await tab.comeBack()
    expect(tab.refresh).toHaveBeenCalledOnce()
  })

  it('makes one request while an answer is pending', async () => {
    const tab = openTab({ shown: session('ada'), current: null })
    await Promise.all([tab.comeBack(), tab.comeBack()])
    expect(tab.current).toHaveBeenCalledOnce()
  })

  it('makes no request on a page without a session in its data, or in a hidden tab', async () => {
    const tab = openTab({ shown: undefined, current: null })
    await tab.comeBack()
    tab.state.shown = session('ada')
    tab.document.visibilityState = 'hidden'
    await tab.comeBack()
    expect(tab.current).not.toHaveBeenCalled()
  })
})

describe('the back button', () => {
  it('does not show a cached page from before a sign-out', async () => {
    const tab = openTab({ shown: session('ada'), current: null })
    await tab.goBack(true)
    expect(tab.refresh).toHaveBeenCalledOnce()
  })

  it('makes no request for a page that was just loaded', async () => {
    const tab = openTab({ shown: session('ada'), current: null })
    await tab.goBack(false)
    expect(tab.current).not.toHaveBeenCalled()
  })
})
