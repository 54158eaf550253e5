import type { Texts } from '../src/languages/texts.js'

/** Dutch. People are addressed as “je”. */
export const texts: Texts = {
  site: {
    tab: '{title} · {name}',
    terms: 'Voorwaarden',
    privacy: 'Privacy',
    help: 'Help',
  },
  signIn: {
    title: 'Inloggen',
    titleAt: 'Inloggen bij {name}',
    titleAgain: 'Opnieuw inloggen',
    stale: 'Je bent een tijd geleden ingelogd. Log nog een keer in om door te gaan.',
    waits:
      'Wat je onlangs hebt toegevoegd, telt nog niet als tweede factor. Gebruik wat je al had; op de pagina van je account staat vanaf wanneer het telt.',
    weak: 'Hiervoor moet je sterker inloggen: met een passkey of een tweede stap. Log nog een keer in om door te gaan.',
    account: 'Je account',
    continueAs: 'Doorgaan als {name}',
    goOn: 'Doorgaan',
    useAnother: 'Ander account gebruiken',
    lastUsed: 'Laatst gebruikt',
    or: 'of',
    newHere: 'nieuw hier?',
    passkeysOnly:
      'Hier log je in met een passkey. Daarvoor heb je JavaScript nodig, en een browser die passkeys ondersteunt.',
    nothingConfigured: 'Er is nog geen inlogmethode ingesteld.',
    configure:
      'Als je deze dienst beheert: in het logboek staat wat er aan een ingestelde provider ontbreekt. Is er geen, stel dan het ID en het geheim van een provider in, bijvoorbeeld {id} en {secret}.',
    signUp: 'Nieuw hier? Als je voor het eerst inlogt, maak je meteen je account aan.',
    signUpButPassword:
      'Nieuw hier? Als je voor het eerst inlogt, maak je meteen je account aan, behalve met een wachtwoord.',
  },
  ways: {
    continueWith: 'Doorgaan met {name}',
    add: '{name} toevoegen',
    submit: 'Inloggen',
    submitWith: 'Inloggen met {name}',
    address: 'E-mailadres',
    sendLink: 'Stuur me een inloglink',
    addAddress: 'Dit adres toevoegen',
    needsScript: 'Dit formulier heeft JavaScript nodig om mensen van programma’s te onderscheiden.',
  },
  passkeys: {
    signIn: 'Inloggen met een passkey',
    add: 'Passkey toevoegen',
    name: 'Je naam (optioneel)',
    signUp: 'Account maken met een passkey',
    noneCreated: 'Er is geen passkey gemaakt. Je kunt het altijd opnieuw proberen.',
    noneUsed: 'Er is geen passkey gebruikt. Je kunt het altijd opnieuw proberen.',
    isThere: 'Op dit apparaat staat al een passkey voor je account.',
    failed: 'Dat is niet gelukt. Probeer het zo meteen opnieuw of laad deze pagina opnieuw.',
  },
  who: {
    label: 'Huidig account',
    signedInAs: 'Je bent ingelogd als',
    signedIn: 'Je bent ingelogd',
  },
  signOut: {
    title: 'Uitloggen',
    question: 'Wil je uitloggen?',
    submit: 'Uitloggen',
    cancel: 'Annuleren',
  },
  parts: {
    back: 'Terug naar {name}',
    copy: 'Kopiëren',
    copied: 'Gekopieerd',
  },
  account: {
    title: 'Je account',
    sections: 'Pagina’s van je account',
    overview: 'Overzicht',
    devices: 'Apparaten',
    passkeys: 'Passkeys',
    security: 'Beveiliging',
    sessions: 'Waar je bent ingelogd',
    thisDevice: 'Dit apparaat',
    begun: 'Ingelogd: {time}',
    added: 'Toegevoegd: {time}',
    lastUsed: 'Laatst gebruikt: {time}',
    utc: 'De tijden zijn in UTC.',
    signOut: 'Uitloggen',
    signOutOf: 'Uitloggen: {session}',
    signOutOthers: 'Overal elders uitloggen',
    signOutAllWarning:
      'Al je sessies eindigen, ook die op dit apparaat. Daarna log je weer in waar je wilt.',
    signOutAll: 'Overal uitloggen',
    ways: 'Inlogmethoden',
    usedNow: 'Nu in gebruik',
    remove: 'Verwijderen',
    confirm: 'Bevestigen',
    confirmWay: 'Bevestigen: {way}',
    waits: 'Toegevoegd na inloggen in één stap: het telt volledig zodra je het bevestigt.',
    waitsUntil:
      'Toegevoegd na inloggen in één stap: het telt volledig vanaf {time}, of zodra je het bevestigt.',
    removeWay: 'Verwijderen: {way}',
    onlyWay: 'Dit is je enige inlogmethode. Wil je die verwijderen, voeg dan eerst een andere toe.',
    onlyPasskey: 'Een passkey is je enige inlogmethode.',
    onlyPasskeyAdvice:
      'Voeg een andere toe: als je de passkey kwijtraakt, kan niemand je binnenlaten. Herstelcodes vervangen hem niet.',
    noPasskeys:
      'Je hebt nog geen passkey. Daarmee log je in met je vingerafdruk, je gezicht of een pincode, en er is geen wachtwoord dat gestolen kan worden.',
    synced: 'Gesynchroniseerd',
    onOneDevice: 'Op één apparaat',
    renameOpen: 'Naam wijzigen…',
    rename: 'Naam wijzigen',
    passkeyName: 'Naam van deze passkey',
    delete: 'Je account verwijderen',
    deleteOpen: 'Mijn account verwijderen…',
    deleteSubmit: 'Mijn account verwijderen',
    deleteWarning:
      'Je sessies, je inlogmethoden en de koppelingen met providers worden definitief verwijderd.',
    removeWarning: 'Daarmee kan dan niemand meer inloggen op je account. Sessies blijven open.',
    addSame: 'Nog een account van een provider die je al hebt…',
  },
  factor: {
    title: 'Tweede factor',
    off: 'Een authenticator-app, waar na elke keer inloggen om wordt gevraagd, behalve met een passkey.',
    setUp: 'Authenticator-app instellen',
    on: 'Je authenticator-app staat aan.',
    codesLeft: {
      one: 'Er is nog {count} herstelcode over.',
      other: 'Er zijn nog {count} herstelcodes over.',
    },
    fewCodesLeft: {
      one: 'Er is nog {count} herstelcode over: maak nieuwe.',
      other: 'Er zijn nog {count} herstelcodes over: maak nieuwe.',
    },
    newCodes: 'Nieuwe herstelcodes',
    switchOff: 'Authenticator-app uitzetten',
    switchOffWarning:
      'Daarna vraagt inloggen niet meer om een code en gelden je herstelcodes niet meer.',
  },
  factorCode: {
    tab: 'Tweede factor',
    title: 'Nog één stap',
    who: 'Je logt in als {name}',
    how: 'Typ de code die je authenticator-app nu laat zien, of een van je herstelcodes.',
    code: 'Code',
    submit: 'Inloggen',
    optional:
      'Deze app is onlangs ingesteld en telt nog niet volledig, dus je kunt zonder code doorgaan. Is de app niet van jou, zet hem dan uit op de pagina van je account.',
    without: 'Doorgaan zonder code',
    startAgain: 'Opnieuw beginnen',
    useRecovery: 'Herstelcode gebruiken',
    recoveryCode: 'Herstelcode',
    useApp: 'Authenticator-app gebruiken',
  },
  factorSetup: {
    title: 'Tweede factor instellen',
    demanded: 'Om hier in te loggen heb je er een nodig.',
    who: 'Hij is voor {name}',
    how: 'Scan dit met een authenticator-app of typ de sleutel in die app.',
    picture: 'QR-code van de sleutel',
    code: 'Zescijferige code van de app',
    submit: 'Aanzetten',
    notNow: 'Niet nu',
  },
  recoveryCodes: {
    tab: 'Herstelcodes',
    title: 'Je herstelcodes',
    what: 'Elke code vervangt één keer een code van je app. Zonder de app en zonder deze codes kun je niet inloggen.',
    keep: 'Ze worden alleen deze keer getoond. Druk deze pagina af of schrijf de codes op, en bewaar ze op een andere plek dan je telefoon.',
    goOn: 'Ik heb ze bewaard: doorgaan',
    download: 'Downloaden',
  },
  code: {
    title: 'Controleer je e-mail',
    sent: 'Er is een inlogmail onderweg naar {address}',
    sentToAdd: 'Er is een e-mail onderweg naar {address}',
    how: 'Open de link erin met deze browser, of typ de code die erin staat.',
    worksMinutes: {
      one: 'De link en de code werken nog {count} minuut.',
      other: 'De link en de code werken nog {count} minuten.',
    },
    worksHours: {
      one: 'De link en de code werken nog {count} uur.',
      other: 'De link en de code werken nog {count} uur.',
    },
    over: 'De e-mail werkt niet meer. Vraag een nieuwe aan.',
    openMail: '{name} openen',
    label: 'Zescijferige code',
    submit: 'Inloggen',
    submitToAdd: 'Dit adres toevoegen',
    again: 'Nieuwe e-mail sturen',
    noMail: 'Geen e-mail? Kijk ook bij de spam.',
    waitSeconds: {
      one: 'Over {count} seconde kun je een nieuwe aanvragen.',
      other: 'Over {count} seconden kun je een nieuwe aanvragen.',
    },
    useAnother: 'Ander adres gebruiken',
    notHere:
      'Als er een inlogmail naar je onderweg is, open dan de link erin. De code werkt in de browser waarin de mail is aangevraagd.',
    which: 'De juiste e-mail heeft {mark} in het onderwerp.',
  },
  confirm: {
    tab: 'Inloggen bevestigen',
    title: 'Op dit apparaat inloggen?',
    who: 'Met deze link log je in als {address}',
    from: 'Hij is aangevraagd vanaf: {device}. Was jij dat niet, of is dit niet jouw adres, maak de link dan hier ongeldig: er is niets gebeurd.',
    submit: 'Inloggen',
    refuse: 'Dat was ik niet',
    refusedTitle: 'De link werkt niet meer',
    refused:
      'Niemand kan nog inloggen met die link, en ook niet met de code die erbij zat. Krijg je meer van zulke mails, negeer ze dan: zonder die mails komt niemand binnen.',
  },
  errors: {
    credentials: 'Inloggen is mislukt. Controleer de gegevens die je hebt ingevuld.',
    notLinked:
      'Dit account of adres hoort hier al bij iemand, misschien bij jou zelf op een andere manier, of is verwijderd als inlogmethode. Er is niets veranderd. Log in zoals voorheen.',
    callback: 'De provider kon je niet inloggen. Probeer het opnieuw.',
    cancelled: 'Je hebt het inloggen geannuleerd. Je kunt het altijd opnieuw proberen.',
    denied: 'Je hebt geen toestemming om in te loggen.',
    link: 'Deze link is verlopen of al gebruikt. Vraag een nieuwe aan.',
    form: 'Dit formulier stond te lang open of kwam ergens anders vandaan. Probeer het opnieuw.',
    check: 'Deze inlogpoging is ergens anders of te lang geleden begonnen. Begin opnieuw.',
    other: 'Inloggen is niet gelukt. Probeer het opnieuw.',
    code: 'Deze code werkt niet. Vraag een nieuwe e-mail aan.',
    wrongFactor:
      'Die code klopt niet of is al gebruikt. Wacht op de volgende en probeer het dan opnieuw.',
    lateFactor: 'Dat duurde te lang. Probeer het nog een keer.',
    tooMany: 'Te veel pogingen. Wacht een tijdje en probeer het dan opnieuw.',
    unknownPasskey:
      'Deze passkey is hier niet meer bekend. Gebruik een andere of log op een andere manier in.',
    address: 'Naar dit e-mailadres kan geen e-mail worden gestuurd. Controleer het.',
    human:
      'Het formulier bevat een controle waarvoor JavaScript nodig is. Wacht tot die klaar is en verstuur het formulier dan opnieuw.',
    notSent: 'De e-mail kon niet worden verstuurd. Probeer het zo meteen opnieuw.',
    wrongCode:
      'Die code klopt niet of werkt niet meer. Controleer hem of vraag een nieuwe e-mail aan.',
    spentCode:
      'Te veel verkeerde codes. De link in de e-mail werkt nog, of vraag een nieuwe e-mail aan.',
  },
  errorPages: {
    configurationTitle: 'Inloggen is niet goed ingesteld',
    configuration:
      'Er is een probleem met de configuratie van deze dienst. Als je die beheert: in het logboek staat wat er mis is.',
    deniedTitle: 'Toegang geweigerd',
    denied: 'Je hebt geen toestemming om met dit account in te loggen.',
    linkTitle: 'Deze link werkt niet meer',
    link: 'Hij is verlopen of al gebruikt. Vraag een nieuwe aan.',
    unavailableTab: 'Probeer het opnieuw',
    unavailableTitle: 'Inloggen is niet beschikbaar',
    unavailable:
      'Iets wat nodig is om in te loggen, geeft geen antwoord. Probeer het zo meteen opnieuw.',
    lastWayTitle: 'Dit is je laatste inlogmethode',
    lastWay: 'Zonder kan niemand meer inloggen op je account. Voeg eerst een andere toe.',
    manyWaysTitle: 'Je hebt veel inlogmethoden',
    manyWays: 'Verwijder er een die je niet meer gebruikt en voeg dan een andere toe.',
    otherTitle: 'Er is iets misgegaan',
    other: 'Inloggen is deze keer niet gelukt. Begin opnieuw.',
    toAccount: 'Naar je account',
    toSignIn: 'Naar inloggen',
    reference: 'Als je om hulp vraagt, vermeld dan {reference}',
    missingTitle: 'Deze pagina bestaat niet',
    missing: 'Misschien zit er een typefout in het adres, of is de pagina verplaatst.',
    formTitle: 'Dit adres is voor formulieren',
    form: 'Het kan niet op zichzelf worden geopend. Begin waar het formulier staat.',
  },
  names: {
    email: 'E-mail',
    passkey: 'Passkey',
    credentials: 'Wachtwoord',
  },
  devices: {
    phone: 'Telefoon',
    tablet: 'Tablet',
    laptop: 'Computer',
    browserOn: '{browser} op {system}',
    unknown: 'Onbekend apparaat',
    and: '{one}, {other}',
  },
  mail: {
    title: 'Inloggen bij {host}',
    previewMinutes: {
      one: 'Aangevraagd vanaf: {device}. Met de link en de code in deze e-mail kun je {count} minuut lang inloggen. Heb je er niet om gevraagd, negeer hem dan.',
      other:
        'Aangevraagd vanaf: {device}. Met de link en de code in deze e-mail kun je {count} minuten lang inloggen. Heb je er niet om gevraagd, negeer hem dan.',
    },
    previewHours: {
      one: 'Aangevraagd vanaf: {device}. Met de link en de code in deze e-mail kun je {count} uur lang inloggen. Heb je er niet om gevraagd, negeer hem dan.',
      other:
        'Aangevraagd vanaf: {device}. Met de link en de code in deze e-mail kun je {count} uur lang inloggen. Heb je er niet om gevraagd, negeer hem dan.',
    },
    byLink: 'Log in op het apparaat waarop je deze e-mail leest:',
    button: 'Inloggen',
    byCode: 'Of typ deze code op de pagina waar je hem hebt aangevraagd:',
    limitsMinutes: {
      one: 'Gebruik een van de twee binnen {count} minuut. Geen van beide werkt een tweede keer.',
      other:
        'Gebruik een van de twee binnen {count} minuten. Geen van beide werkt een tweede keer.',
    },
    limitsHours: {
      one: 'Gebruik een van de twee binnen {count} uur. Geen van beide werkt een tweede keer.',
      other: 'Gebruik een van de twee binnen {count} uur. Geen van beide werkt een tweede keer.',
    },
    device: 'Aangevraagd vanaf: {device}',
    warning:
      'Heb je deze e-mail niet aangevraagd, negeer hem dan: zonder deze e-mail komt niemand binnen. Geef de link of de code nooit aan iemand, wie er ook om vraagt.',
  },
  mailToAdd: {
    title: 'Dit adres toevoegen aan een account bij {host}',
    preview:
      'Aangevraagd vanaf: {device}. Degene van wie dat account is, wil ook met dit adres inloggen. Ben jij dat niet, negeer deze e-mail dan.',
    byLink:
      'Als het account van jou is, voeg dit adres dan toe in de browser waarin je het hebt aangevraagd:',
    button: 'Dit adres toevoegen',
    warning:
      'Heb je deze e-mail niet aangevraagd, negeer hem dan: zonder deze e-mail wordt er niets toegevoegd. Geef de link of de code nooit aan iemand, wie er ook om vraagt: die persoon zou met jouw adres inloggen.',
  },
  notices: {
    where: 'Gewijzigd bij {host}, vanaf: {device}',
    warning:
      'Was jij dat niet, dan is iemand anders op je account ingelogd: log in, open de pagina van je account, verwijder wat je niet kent en kies “Overal uitloggen”.',
    waits:
      'Over zeven dagen telt het volledig. Is het niet van jou, verwijder het dan voor die tijd.',
    addedTitle: '{name} is aan je account toegevoegd',
    added: 'Vanaf nu kun je hiermee inloggen op je account.',
    removedTitle: '{name} is van je account verwijderd',
    removed: 'Je kunt hiermee niet meer inloggen op je account.',
    factorSetUpTitle: 'Je account vraagt om een tweede factor',
    factorSetUp: 'Vanaf nu is voor het inloggen ook een code van je authenticator-app nodig.',
    factorRemovedTitle: 'Je account vraagt niet meer om een tweede factor',
    factorRemoved: 'Vanaf nu is voor het inloggen geen code van je authenticator-app meer nodig.',
    newCodesTitle: 'Je hebt nieuwe herstelcodes',
    newCodes: 'De herstelcodes die je eerder had, werken niet meer.',
    codeUsedTitle: 'Er is een herstelcode gebruikt',
    codeUsed:
      'Bij het inloggen in je account is een herstelcode gebruikt in plaats van een code van je authenticator-app. Die herstelcode werkt niet meer.',
    mergedTitle: 'Twee van je accounts zijn nu één account',
    merged: 'Vanaf nu kom je met elke inlogmethode van een van beide in hetzelfde account.',
    erasedTitle: 'Je account is verwijderd',
    erased: 'Je sessies, je inlogmethoden en de koppelingen met providers zijn definitief weg.',
    erasedWarning:
      'Was jij dat niet, dan was iemand anders op je account ingelogd: schrijf naar de beheerder van deze site.',
  },
}
