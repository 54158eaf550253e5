/**
 * The place of a name among `size` places: the packed list of public suffixes stores it instead of
 * the name. FNV-1a, with its bits mixed. Only operators choose the names, so nothing here has
 * to withstand a stranger.
 */
export function suffixHash(name: string, size: number): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < name.length; at++) {
    hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return Math.floor((((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32) * size)
}

/**
 * Hosts that give names to any person, also below regions, addresses and other people's names; and
 * suffixes of countries, such as `co.uk`, also below names of regions. The packed list leaves these out.
 */
export const COMMON_SUFFIXES =
  /^(?:(?:.+\.)?(?:run\.app|github\.dev|(?:on|sagemaker)\.aws|(?:amazon(?:aws|cognito|lightsail)|elasticbeanstalk|(?:gov-)?ncloudstorage|ncpstorage)\.com|(?:k2|scw)\.cloud|crm\.dev|(?:azurestaticapps|azurewebsites|windows)\.net|(?:gitpod|ngrok|nip|sslip)\.io|devtunnels\.ms)|(?:ac|co|com|edu|gob|gov|net|org)\.[a-z]{2}|(?:[^.]+\.)?[a-z]{2}\.us|[^.]+\.(?:aichi|akita|aomori|chiba|ehime|fukui|fukuoka|fukushima|gifu|gunma|hiroshima|hokkaido|hyogo|ibaraki|ishikawa|iwate|kagawa|kagoshima|kanagawa|kochi|kumamoto|kyoto|mie|miyagi|miyazaki|nagano|nagasaki|nara|niigata|oita|okayama|okinawa|osaka|saga|saitama|shiga|shimane|shizuoka|tochigi|tokushima|tokyo|tottori|toyama|wakayama|yamagata|yamaguchi|yamanashi)\.jp)$/

/** Hosts that give names to strangers and that the list lacks. */
export const NOT_LISTED =
  /^(?:(?:edgeone|expo|hashnode)\.dev|(?:koyeb|softr|stackblitz)\.app|(?:ghost|pinggy|stackblitz|webcontainer)\.io|(?:b-cdn|serveo)\.net|(?:substack|tumblr|webflow|weebly|wordpress)\.com|vercel\.sh|(?:glitch|localtunnel)\.me|lhr\.(?:life|rocks)|loca\.lt|localhost\.run|pinggy\.link|canva\.site|ne\.(?:id|th))$/
