/**
 * The names of the authenticators that make most passkeys, after the first eight digits of their AAGUIDs, one a
 * line. A registration does not prove its authenticator, so the name only helps users to tell their passkeys apart.
 */
const NAMES = `
fbfc3007Apple Passwords
dd4ec289iCloud Keychain
ea9b8d66Google Password Manager
adce0002Chrome on Mac
b5397666Chromium
771b48fdEdge on Mac
08987058Windows Hello
9ddd1817Windows Hello
6028b017Windows Hello
d3452668Microsoft Password Manager
53414d53Samsung Pass
bada55661Password
d548826eBitwarden
531126d6Dashlane
b84e4048NordPass
50726f74Proton Pass
0ea242b4Keeper
fdb141b2KeePassXC
b78a0a55LastPass
2fc0579fYubiKey 5
`

/** The name of a new passkey, until the user gives it another. */
export function nameOfAuthenticator(aaguid: string): string {
  const line = `\n${aaguid.slice(0, 8)}`
  const at = NAMES.indexOf(line)
  return at < 0 ? 'Passkey' : (NAMES.slice(at + line.length).split('\n', 1)[0] as string)
}
