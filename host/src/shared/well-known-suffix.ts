import { COMMON_SUFFIXES, NOT_LISTED } from './suffix-hash.js'

/**
 * May strangers have a site below this host? For an app that only forwards, whose bundle has no packed list: these are
 * the hosts of previews, tunnels and small sites that people put behind a wildcard. The service judges each origin by the
 * whole list as well.
 *
 * @param host as a URL has it: in lower case, and in ASCII
 */
export function isWellKnownSuffix(host: string): boolean {
  const name = host.replace(/\.$/, '')
  return COMMON_SUFFIXES.test(name) || NOT_LISTED.test(name) || WELL_KNOWN.test(name)
}

const WELL_KNOWN =
  /^(?:(?:deno|fly|ngrok(?:-free)?|pages|r2|replit|vercel|workers)\.dev|(?:csb|expo|framer|lovable|netlify|ngrok(?:-free)?|ondigitalocean|replit|streamlit|up\.railway|vercel|web|zeabur)\.app|(?:amplifyapp|appspot|blogspot|firebaseapp|herokuapp|myshopify|onrender|pythonanywhere|trycloudflare|wixsite)\.com|(?:bitbucket|cleverapps|github|gitlab|readthedocs)\.io|(?:azureedge|cloudapp|cloudfront|deno)\.net|(?:now|surge)\.sh|duckdns\.org|hf\.space|val\.run|(?:go|ne|or)\.(?:id|jp|ke|kr|th|tz))$/
