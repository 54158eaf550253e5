/**
 * May strangers have a site below this host? Then a wildcard there is an invitation.
 *
 * The whole Public Suffix List has 300 kB and changes every week. This is the part of it that people put
 * behind a wildcard: hosts of previews, tunnels and small sites, and what countries sell names below.
 *
 * @param host as a URL has it: in lower case, and in ASCII
 */
export function isPublicSuffix(host: string): boolean {
  const suffixes = [
    // Whoever has one name there has all below it: `*.my-project.pages.dev` is a project's own.
    '(deno|edgeone|fly|ngrok|pages|r2|vercel|workers)\\.dev',
    '(csb|expo|koyeb|lovable|netlify|ngrok|ngrok-free|ondigitalocean|replit|streamlit|up\\.railway|vercel|web|zeabur)\\.app',
    '(amplifyapp|appspot|blogspot|firebaseapp|herokuapp|myshopify|onrender|pythonanywhere|trycloudflare|wixsite)\\.com',
    '(bitbucket|cleverapps|github|gitlab|readthedocs|stackblitz|webcontainer)\\.io',
    '(azureedge|b-cdn|cloudapp|cloudfront|deno)\\.net|(now|surge|vercel)\\.sh',
    'duckdns\\.org|glitch\\.me|hf\\.space|lhr\\.life|loca\\.lt|val\\.run',
    // Regions, addresses or other people's names are on every level.
    '(.+\\.)?(run\\.app|github\\.dev|(amazonaws|elasticbeanstalk)\\.com|(azurestaticapps|azurewebsites|windows)\\.net|(gitpod|ngrok|nip|sslip)\\.io|devtunnels\\.ms)',
    // Such as `co.uk`, `com.au` and `go.jp`.
    '(ac|co|com|edu|gob|gov|net|org)\\.[a-z]{2}|(go|ne|or)\\.(id|jp|ke|kr|th|tz)',
  ]
  return new RegExp(`^(${suffixes.join('|')})\\.?$`).test(host)
}
