/** Plain http is for a server on this machine only (RFC 8252, section 7.3). */
export function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)
}
