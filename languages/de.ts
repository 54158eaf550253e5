import type { Texts } from '../worker/src/languages/texts.js'

/** German. People are addressed as “Sie”. */
export const texts: Texts = {
  site: {
    tab: '{title} · {name}',
    terms: 'Nutzungsbedingungen',
    privacy: 'Datenschutz',
    help: 'Hilfe',
  },
  signIn: {
    title: 'Anmelden',
    titleAt: 'Bei {name} anmelden',
    titleAgain: 'Erneut anmelden',
    stale:
      'Ihre Anmeldung liegt schon eine Weile zurück. Melden Sie sich noch einmal an, um fortzufahren.',
    waits:
      'Was Sie vor Kurzem hinzugefügt haben, zählt noch nicht als zweiter Faktor. Benutzen Sie, was Sie vorher hatten; ab wann es zählt, steht auf der Seite Ihres Kontos.',
    weak: 'Dafür ist eine stärkere Anmeldung nötig: ein Passkey oder ein zweiter Schritt. Melden Sie sich noch einmal an, um fortzufahren.',
    continueAs: 'Weiter als {name}',
    goOn: 'Weiter',
    lastUsed: 'Zuletzt benutzt',
    account: 'Ihr Konto',
    useAnother: 'Anderes Konto verwenden',
    or: 'oder',
    passkeysOnly:
      'Hier melden Sie sich mit einem Passkey an. Dafür braucht es JavaScript und einen Browser, der Passkeys kennt.',
    nothingConfigured: 'Es ist noch keine Anmeldung eingerichtet.',
    configure:
      'Wenn Sie diesen Dienst betreiben: Was einem eingerichteten Anbieter fehlt, steht im Protokoll. Wenn es keinen gibt, setzen Sie ID und Geheimnis eines Anbieters, zum Beispiel {id} und {secret}.',
    agree: 'Wenn Sie fortfahren, stimmen Sie den {terms} zu.',
    agreeTerms: 'Nutzungsbedingungen',
    signUp: 'Neu hier? Mit Ihrer ersten Anmeldung entsteht Ihr Konto.',
    signUpButPassword:
      'Neu hier? Mit Ihrer ersten Anmeldung entsteht Ihr Konto, nur nicht mit einem Passwort.',
  },
  ways: {
    continueWith: 'Weiter mit {name}',
    add: '{name} hinzufügen',
    submit: 'Anmelden',
    submitWith: 'Mit {name} anmelden',
    address: 'E-Mail-Adresse',
    sendLink: 'Link zum Anmelden senden',
    addAddress: 'Diese Adresse hinzufügen',
    addAddressOpen: 'E-Mail-Adresse hinzufügen',
    needsScript: 'Dieses Formular braucht JavaScript: So unterscheidet es Menschen von Programmen.',
  },
  password: {
    link: 'Konto mit Passwort anlegen oder Passwort zurücksetzen',
    askHow:
      'Wir senden einen Link an Ihre E-Mail-Adresse. Er öffnet die Seite, auf der Sie ein Passwort wählen.',
    forgot: 'Passwort vergessen?',
    none: 'Sie haben noch kein Passwort.',
    current: 'Aktuelles Passwort',
    new: 'Neues Passwort',
    rule: 'Mindestzahl der Zeichen: {count}. Mehrere Wörter hintereinander sind eine gute Wahl.',
    others: 'Ihre anderen Geräte werden abgemeldet.',
    save: 'Passwort speichern',
    notNow: 'Nicht jetzt',
    remove: 'Passwort entfernen',
    removeWarning:
      'Danach melden Sie sich per E-Mail an oder auf einem anderen Weg, den Sie eingerichtet haben.',
    offerTitle: 'Nächstes Mal schneller anmelden',
    offerHow:
      'Ein Passkey auf diesem Gerät ersetzt das Passwort und schützt Sie vor gefälschten Anmeldeseiten.',
  },
  passkeys: {
    signIn: 'Mit einem Passkey anmelden',
    add: 'Passkey hinzufügen',
    name: 'Ihr Name (freiwillig)',
    signUp: 'Konto mit einem Passkey erstellen',
    noneCreated: 'Es wurde kein Passkey erstellt. Sie können es jederzeit noch einmal versuchen.',
    noneUsed: 'Es wurde kein Passkey verwendet. Sie können es jederzeit noch einmal versuchen.',
    isThere: 'Auf diesem Gerät gibt es schon einen Passkey für Ihr Konto.',
    failed:
      'Das hat nicht funktioniert. Versuchen Sie es gleich noch einmal oder laden Sie die Seite neu.',
  },
  who: {
    label: 'Aktuelles Konto',
    signedInAs: 'Sie sind angemeldet als',
    signedIn: 'Sie sind angemeldet',
  },
  signOut: {
    title: 'Abmelden',
    question: 'Möchten Sie sich abmelden?',
    submit: 'Abmelden',
    cancel: 'Abbrechen',
  },
  parts: {
    back: 'Zurück zu {name}',
    copy: 'Kopieren',
    copied: 'Kopiert',
  },
  device: {
    title: 'Gerät verbinden',
    how: 'Geben Sie den Code ein, den Ihr Gerät zeigt.',
    code: 'Code',
    goOn: 'Weiter',
    wrong:
      'Kein Gerät wartet mit diesem Code. Prüfen Sie ihn, oder beginnen Sie auf dem Gerät von vorn.',
    allowed: 'Ihr Gerät ist verbunden',
    allowedNext: 'Sie können diese Seite schließen und auf Ihrem Gerät weitermachen.',
    denied: 'Ihr Gerät wurde nicht verbunden',
    deniedNext: 'Sie können diese Seite schließen.',
  },
  keys: {
    title: 'API-Schlüssel',
    none: 'Noch keine API-Schlüssel.',
    make: 'Neuer Schlüssel für {name}',
    name: 'Name',
    may: 'Er darf:',
    choose: 'Wählen Sie aus, was der Schlüssel darf.',
    days: 'Tage, bis er abläuft',
    makeIt: 'Schlüssel erstellen',
    made: 'Ihr neuer API-Schlüssel',
    once: 'Kopieren Sie ihn jetzt: Er wird nicht noch einmal angezeigt. Halten Sie ihn so geheim wie ein Passwort.',
    goOn: 'Ich habe ihn gespeichert',
    until: 'Läuft ab: {time}',
    unused: 'Nie benutzt',
    end: 'Schlüssel widerrufen',
    endOf: 'Schlüssel widerrufen: {name}',
    endWarning: 'Programme mit diesem Schlüssel funktionieren dann nicht mehr.',
  },
  consent: {
    title: 'Darf {name} Ihr Konto benutzen?',
    may: 'Die App kann dann:',
    openid: 'Sie wiedererkennen',
    profile: 'Ihren Namen und Ihr Bild sehen',
    email: 'Ihre E-Mail-Adresse sehen',
    offline: 'Den Zugriff bis zu ein Jahr lang behalten, oder bis Sie ihn beenden',
    session: 'Der Zugriff endet, wenn Sie sich abmelden.',
    leadsTo: 'Sie gelangen dann zu {host}.',
    leadsHere: 'Erlauben Sie es nur, wenn Sie die App auf diesem Gerät gestartet haben: {host}',
    unknown: 'Diese App kommt von {host}. Wir haben sie nicht geprüft.',
    device:
      'Vielleicht hat Ihnen jemand anderes diesen Link geschickt. Erlauben Sie es nur, wenn Ihr eigenes Gerät diesen Code zeigt: {code}',
    allow: 'Erlauben',
    deny: 'Nicht erlauben',
  },
  account: {
    apps: 'Apps',
    noApps: 'Noch keine verbundenen Apps.',
    endAccess: 'Zugriff entziehen',
    endAccessWarning: 'Diese App kann Ihr Konto auf keinem Gerät mehr benutzen.',
    title: 'Ihr Konto',
    sections: 'Seiten Ihres Kontos',
    overview: 'Übersicht',
    devices: 'Geräte',
    passkeys: 'Passkeys',
    security: 'Sicherheit',
    sessions: 'Wo Sie angemeldet sind',
    thisDevice: 'Dieses Gerät',
    begun: 'Angemeldet: {time}',
    added: 'Hinzugefügt: {time}',
    lastUsed: 'Zuletzt benutzt: {time}',
    utc: 'Zeiten sind in UTC.',
    signOut: 'Abmelden',
    signOutOf: 'Abmelden: {session}',
    signOutOthers: 'Überall sonst abmelden',
    signOutAllWarning:
      'Alle Ihre Sitzungen enden, auch die auf diesem Gerät. Danach melden Sie sich neu an, wo Sie möchten.',
    signOutAll: 'Überall abmelden',
    ways: 'Wie Sie sich anmelden',
    usedNow: 'Gerade benutzt',
    remove: 'Entfernen',
    confirm: 'Bestätigen',
    confirmWay: 'Bestätigen: {way}',
    waits:
      'Nach einer Anmeldung in einem Schritt hinzugefügt: Es zählt voll, sobald Sie es bestätigen.',
    waitsUntil:
      'Nach einer Anmeldung in einem Schritt hinzugefügt: Es zählt voll ab {time}, oder sobald Sie es bestätigen.',
    removeWay: 'Entfernen: {way}',
    onlyWay:
      'Das ist Ihr einziger Weg zur Anmeldung. Um ihn zu entfernen, fügen Sie zuerst einen anderen hinzu.',
    onlyPasskey: 'Sie können sich nur mit einem einzigen Passkey anmelden.',
    onlyPasskeyAdvice:
      'Fügen Sie einen weiteren Weg hinzu: Geht der Passkey verloren, kann niemand Sie hineinlassen. Wiederherstellungscodes ersetzen ihn nicht.',
    noPasskeys:
      'Sie haben noch keinen Passkey. Mit ihm melden Sie sich per Fingerabdruck, Gesicht oder PIN an, und es gibt kein Passwort, das gestohlen werden könnte.',
    synced: 'Synchronisiert',
    onOneDevice: 'Auf einem Gerät',
    renameOpen: 'Umbenennen …',
    rename: 'Umbenennen',
    passkeyName: 'Name dieses Passkeys',
    delete: 'Konto löschen',
    deleteOpen: 'Mein Konto löschen …',
    deleteSubmit: 'Mein Konto löschen',
    deleteWarning:
      'Ihre Sitzungen, Ihre Wege zur Anmeldung und die Verbindungen zu Anbietern werden endgültig gelöscht.',
    removeWarning:
      'Damit kann sich dann niemand mehr bei Ihrem Konto anmelden. Sitzungen bleiben bestehen.',
    addSame: 'Weiteres Konto eines vorhandenen Anbieters …',
    addWay: 'Weitere Anmeldemöglichkeit hinzufügen',
  },
  factor: {
    title: 'Zweiter Faktor',
    off: 'Eine Authenticator-App, nach der bei jeder Anmeldung gefragt wird, außer mit einem Passkey.',
    setUp: 'Authenticator-App einrichten',
    on: 'Ihre Authenticator-App ist eingeschaltet.',
    codesLeft: {
      one: 'Es ist noch {count} Wiederherstellungscode übrig.',
      other: 'Es sind noch {count} Wiederherstellungscodes übrig.',
    },
    fewCodesLeft: {
      one: 'Es ist nur noch {count} Wiederherstellungscode übrig: Erstellen Sie neue.',
      other: 'Es sind nur noch {count} Wiederherstellungscodes übrig: Erstellen Sie neue.',
    },
    newCodes: 'Neue Wiederherstellungscodes',
    switchOff: 'Authenticator-App ausschalten',
    switchOffWarning:
      'Danach fragt keine Anmeldung mehr nach einem Code, und Ihre Wiederherstellungscodes werden ungültig.',
  },
  factorCode: {
    tab: 'Zweiter Faktor',
    title: 'Code aus Ihrer Authenticator-App eingeben',
    who: 'Sie melden sich an als {name}',
    code: 'Code',
    submit: 'Anmelden',
    optional:
      'Diese App wurde vor Kurzem eingerichtet und zählt noch nicht voll. Sie können deshalb ohne Code fortfahren. Wenn es nicht Ihre ist, schalten Sie sie auf der Seite Ihres Kontos aus.',
    without: 'Ohne Code fortfahren',
    startAgain: 'Von vorn beginnen',
    useRecovery: 'Wiederherstellungscode verwenden',
    recoveryCode: 'Wiederherstellungscode',
    useApp: 'Authenticator-App verwenden',
  },
  factorSetup: {
    title: 'Zweiten Faktor einrichten',
    demanded: 'Zum Anmelden brauchen Sie hier einen.',
    who: 'Ihr Konto: {name}',
    how: 'Scannen Sie dies mit einer Authenticator-App oder tippen Sie den Schlüssel dort ein.',
    picture: 'QR-Code des Schlüssels',
    code: 'Sechsstelliger Code der App',
    submit: 'Einschalten',
    notNow: 'Nicht jetzt',
  },
  recoveryCodes: {
    tab: 'Wiederherstellungscodes',
    title: 'Ihre Wiederherstellungscodes',
    what: 'Jeder ersetzt ein einziges Mal einen Code Ihrer App. Ohne die App und ohne diese Codes können Sie sich nicht anmelden.',
    keep: 'Sie werden nur dieses eine Mal gezeigt. Drucken Sie die Seite aus oder schreiben Sie die Codes auf, und bewahren Sie sie getrennt von Ihrem Telefon auf.',
    goOn: 'Ich habe sie aufbewahrt: weiter',
    download: 'Herunterladen',
  },
  code: {
    title: 'Sehen Sie in Ihr Postfach',
    sent: 'Eine E-Mail zum Anmelden ist unterwegs an {address}',
    sentToAdd: 'Eine E-Mail ist unterwegs an {address}',
    how: 'Öffnen Sie den Link darin mit diesem Browser oder geben Sie den Code daraus ein.',
    worksMinutes: {
      one: 'Beides gilt noch {count} Minute.',
      other: 'Beides gilt noch {count} Minuten.',
    },
    worksHours: {
      one: 'Beides gilt noch {count} Stunde.',
      other: 'Beides gilt noch {count} Stunden.',
    },
    over: 'Die E-Mail gilt nicht mehr. Fordern Sie eine neue an.',
    openMail: '{name} öffnen',
    noMail: 'Keine E-Mail da? Sehen Sie auch im Spam nach.',
    waitSeconds: {
      one: 'In {count} Sekunde können Sie eine neue anfordern.',
      other: 'In {count} Sekunden können Sie eine neue anfordern.',
    },
    label: 'Sechsstelliger Code',
    submit: 'Anmelden',
    submitToAdd: 'Diese Adresse hinzufügen',
    again: 'Neue E-Mail senden',
    useAnother: 'Andere Adresse verwenden',
    notHere:
      'Wenn eine E-Mail zum Anmelden zu Ihnen unterwegs ist, öffnen Sie den Link darin. Ihr Code gilt in dem Browser, in dem sie angefordert wurde.',
    which: 'Die richtige E-Mail hat {mark} im Betreff.',
  },
  confirm: {
    tab: 'Anmeldung bestätigen',
    title: 'Auf diesem Gerät anmelden?',
    who: 'Dieser Link meldet Sie an als {address}',
    from: 'Angefordert wurde er von: {device}. Wenn Sie das nicht waren oder dies nicht Ihre Adresse ist, machen Sie den Link hier ungültig: Es ist nichts geschehen.',
    submit: 'Anmelden',
    refuse: 'Das war ich nicht',
    refusedTitle: 'Der Link gilt nicht mehr',
    refused:
      'Mit diesem Link kann sich niemand mehr anmelden, auch nicht mit dem Code, der mit ihm kam. Wenn noch mehr solche E-Mails kommen, beachten Sie sie nicht: Ohne sie kommt niemand hinein.',
  },
  companies: {
    otherWays: 'Andere Wege zur Anmeldung',
    unknown: 'Mit dieser Adresse meldet hier kein Unternehmen an. Prüfen Sie die Schreibweise.',
    signedInBy: 'Sie haben sich über {name} angemeldet.',
    manages: '{name} verwaltet, wie Sie sich anmelden.',
    joinTitle: 'Haben Sie hier schon ein Konto?',
    joinHow:
      'Das ist Ihre erste Anmeldung hier mit {name}. Wenn Sie schon ein Konto haben, melden Sie sich einmal wie bisher an, damit Sie es behalten.',
    joinNew: 'Nein, ich bin zum ersten Mal hier',
    joinUnknown:
      'Zu dieser Anmeldung gibt es hier kein Konto. Versuchen Sie eine andere, oder machen Sie als neue Person weiter.',
  },
  boundSessions: {
    label: 'An dieses Gerät gebunden',
    waiting: 'Ihr Browser bindet diese Sitzung an Ihr Gerät',
  },
  errors: {
    credentials: 'Die Anmeldung ist fehlgeschlagen. Prüfen Sie Ihre Angaben.',
    notLinked:
      'Dieses Konto oder diese Adresse gehört hier schon jemandem, vielleicht Ihnen selbst auf anderem Weg, oder wurde als Weg zur Anmeldung entfernt. Es hat sich nichts geändert. Melden Sie sich so an wie bisher. Gehört es zu einem anderen Konto von Ihnen, melden Sie sich dort an und entfernen Sie es, oder löschen Sie jenes Konto. Danach können Sie es hier hinzufügen.',
    callback: 'Der Anbieter konnte Sie nicht anmelden. Bitte versuchen Sie es noch einmal.',
    cancelled:
      'Sie haben die Anmeldung abgebrochen. Sie können es jederzeit noch einmal versuchen.',
    denied: 'Sie dürfen sich hier nicht anmelden.',
    blocked:
      'Dieses Konto ist gesperrt. Wenn Sie das für einen Irrtum halten, bitten Sie um Hilfe.',
    link: 'Dieser Link ist abgelaufen oder wurde schon benutzt. Bitte fordern Sie einen neuen an.',
    form: 'Dieses Formular war zu lange geöffnet oder kam von anderswo. Bitte versuchen Sie es noch einmal.',
    check:
      'Diese Anmeldung wurde anderswo oder vor zu langer Zeit begonnen. Bitte beginnen Sie von vorn.',
    other: 'Die Anmeldung hat nicht funktioniert. Bitte versuchen Sie es noch einmal.',
    code: 'Dieser Code funktioniert nicht. Bitte fordern Sie eine neue E-Mail an.',
    wrongFactor:
      'Dieser Code ist falsch oder wurde schon benutzt. Warten Sie auf den nächsten und versuchen Sie es dann noch einmal.',
    lateFactor: 'Das hat zu lange gedauert. Bitte versuchen Sie es noch einmal.',
    tooMany:
      'Das waren zu viele Versuche. Bitte warten Sie eine Weile und versuchen Sie es dann noch einmal.',
    unknownPasskey:
      'Dieser Passkey ist hier nicht mehr bekannt. Verwenden Sie einen anderen oder melden Sie sich auf anderem Weg an.',
    address: 'An diese E-Mail-Adresse lässt sich nichts senden. Bitte prüfen Sie sie.',
    unbound:
      'Dieser Browser kann Ihre Sitzung nicht an Ihr Gerät binden. Versuchen Sie es mit einem anderen.',
    human:
      'Das Formular enthält eine Prüfung, die JavaScript braucht. Warten Sie, bis sie fertig ist, und senden Sie das Formular dann noch einmal.',
    notSent: 'Die E-Mail konnte nicht gesendet werden. Bitte versuchen Sie es gleich noch einmal.',
    wrongCode:
      'Dieser Code ist falsch oder gilt nicht mehr. Prüfen Sie ihn oder fordern Sie eine neue E-Mail an.',
    spentCode:
      'Das waren zu viele falsche Codes. Der Link in der E-Mail funktioniert noch, oder fordern Sie eine neue E-Mail an.',
    passwordInvalid: 'Geben Sie ein Passwort ein.',
    passwordShort: 'Dieses Passwort ist zu kurz.',
    passwordLong: 'Dieses Passwort ist zu lang. Erlaubt sind 256 Zeichen.',
    passwordCommon: 'Dieses Passwort ist zu leicht zu erraten. Wählen Sie ein anderes.',
    passwordContext:
      'Dieses Passwort besteht vor allem aus dem Namen dieser Website oder Ihrer Adresse. Wählen Sie ein anderes.',
    passwordBreached: 'Dieses Passwort ist aus einem Datenleck bekannt. Wählen Sie ein anderes.',
    wrongPassword: 'Das aktuelle Passwort stimmt nicht.',
    noAddress:
      'Für ein Passwort brauchen Sie eine bestätigte E-Mail-Adresse. Fügen Sie Ihrem Konto zuerst eine hinzu.',
    companyOnly:
      'Ihr Unternehmen verwaltet, wie Sie sich anmelden. Geben Sie Ihre Adresse ein, um dort fortzufahren.',
    companyDomain:
      'Das Konto Ihres Unternehmens nennt keine Adresse, die hier zählt. Wenden Sie sich an die Leute, die es verwalten.',
    companyUnavailable:
      'Die Anmeldung Ihres Unternehmens antwortet nicht. Versuchen Sie es in ein paar Minuten noch einmal.',
  },
  errorPages: {
    tooManyKeys: 'Sie haben zu viele API-Schlüssel. Beenden Sie zuerst einen.',
    app: 'Dieser Link ist ungültig, oder die App ist hier nicht bekannt. Beginnen Sie in der App noch einmal.',
    configurationTitle: 'Die Anmeldung ist nicht richtig eingerichtet',
    configuration:
      'Mit der Einrichtung dieses Dienstes stimmt etwas nicht. Wenn Sie ihn betreiben: Im Protokoll steht, was es ist.',
    deniedTitle: 'Zugriff verweigert',
    denied: 'Sie dürfen sich mit diesem Konto nicht anmelden.',
    linkTitle: 'Dieser Link funktioniert nicht mehr',
    link: 'Er ist abgelaufen oder wurde schon benutzt. Bitte fordern Sie einen neuen an.',
    unavailableTab: 'Noch einmal versuchen',
    unavailableTitle: 'Die Anmeldung ist gerade nicht möglich',
    unavailable:
      'Etwas, das die Anmeldung braucht, antwortet nicht. Bitte versuchen Sie es gleich noch einmal.',
    lastWayTitle: 'Das ist Ihr letzter Weg zur Anmeldung',
    lastWay:
      'Ohne ihn könnte sich niemand mehr in Ihrem Konto anmelden. Fügen Sie zuerst einen anderen hinzu.',
    manyWaysTitle: 'Sie haben viele Wege zur Anmeldung',
    manyWays: 'Entfernen Sie einen, den Sie nicht mehr benutzen, und fügen Sie dann einen hinzu.',
    otherTitle: 'Etwas ist schiefgegangen',
    other: 'Die Anmeldung hat diesmal nicht funktioniert. Bitte beginnen Sie von vorn.',
    reference: 'Wenn Sie um Hilfe bitten, nennen Sie {reference}',
    missingTitle: 'Diese Seite gibt es nicht',
    missing: 'Vielleicht ist die Adresse falsch geschrieben oder die Seite ist umgezogen.',
    formTitle: 'Diese Adresse ist für Formulare',
    form: 'Sie lässt sich nicht allein öffnen. Beginnen Sie dort, wo das Formular ist.',
    toAccount: 'Zu Ihrem Konto',
    toSignIn: 'Zur Anmeldung',
  },
  names: {
    email: 'E-Mail',
    passkey: 'Passkey',
    credentials: 'Passwort',
    username: 'Benutzername',
  },
  devices: {
    phone: 'Telefon',
    tablet: 'Tablet',
    laptop: 'Computer',
    browserOn: '{browser} unter {system}',
    unknown: 'Unbekanntes Gerät',
    and: '{one}, {other}',
  },
  mail: {
    title: 'Anmelden bei {host}',
    previewMinutes: {
      one: 'Angefordert von: {device}. Link und Code in dieser E-Mail lassen Sie {count} Minute lang hinein. Wenn Sie nicht gefragt haben, beachten Sie sie nicht.',
      other:
        'Angefordert von: {device}. Link und Code in dieser E-Mail lassen Sie {count} Minuten lang hinein. Wenn Sie nicht gefragt haben, beachten Sie sie nicht.',
    },
    previewHours: {
      one: 'Angefordert von: {device}. Link und Code in dieser E-Mail lassen Sie {count} Stunde lang hinein. Wenn Sie nicht gefragt haben, beachten Sie sie nicht.',
      other:
        'Angefordert von: {device}. Link und Code in dieser E-Mail lassen Sie {count} Stunden lang hinein. Wenn Sie nicht gefragt haben, beachten Sie sie nicht.',
    },
    byLink: 'Melden Sie sich auf dem Gerät an, auf dem Sie diese E-Mail lesen:',
    button: 'Anmelden',
    byCode: 'Oder geben Sie diesen Code auf der Seite ein, auf der Sie ihn angefordert haben:',
    limitsMinutes: {
      one: 'Benutzen Sie eines von beiden innerhalb von {count} Minute. Keines gilt ein zweites Mal.',
      other:
        'Benutzen Sie eines von beiden innerhalb von {count} Minuten. Keines gilt ein zweites Mal.',
    },
    limitsHours: {
      one: 'Benutzen Sie eines von beiden innerhalb von {count} Stunde. Keines gilt ein zweites Mal.',
      other:
        'Benutzen Sie eines von beiden innerhalb von {count} Stunden. Keines gilt ein zweites Mal.',
    },
    device: 'Angefordert von: {device}',
    warning:
      'Wenn Sie diese E-Mail nicht angefordert haben, beachten Sie sie nicht: Ohne sie kommt niemand hinein. Geben Sie den Link oder den Code nie weiter, egal wer danach fragt.',
  },
  mailToAdd: {
    title: 'Diese Adresse zu einem Konto bei {host} hinzufügen',
    preview:
      'Angefordert von: {device}. Wer dieses Konto hat, möchte sich auch mit dieser Adresse anmelden. Wenn Sie das nicht sind, beachten Sie diese E-Mail nicht.',
    byLink:
      'Wenn das Konto Ihres ist, fügen Sie diese Adresse in dem Browser hinzu, in dem Sie darum gebeten haben:',
    button: 'Diese Adresse hinzufügen',
    warning:
      'Wenn Sie diese E-Mail nicht angefordert haben, beachten Sie sie nicht: Ohne sie wird nichts hinzugefügt. Geben Sie den Link oder den Code nie weiter, egal wer danach fragt: Diese Person würde sich mit Ihrer Adresse anmelden.',
  },
  notices: {
    newBrowserTitle: 'Neue Anmeldung bei Ihrem Konto',
    newBrowser:
      'Ein Browser, den Sie hier noch nicht benutzt hatten, hat sich bei Ihrem Konto angemeldet: {time}',
    newBrowserWhere: 'Angemeldet bei {host}, von: {device}',
    where: 'Geändert bei {host}, von: {device}',
    warning:
      'Wenn Sie das nicht waren, ist jemand anderes in Ihrem Namen angemeldet: Melden Sie sich an, öffnen Sie die Seite Ihres Kontos, entfernen Sie, was Sie nicht kennen, und wählen Sie „Überall abmelden“.',
    waits: 'In sieben Tagen zählt es voll. Wenn es nicht Ihres ist, entfernen Sie es vorher.',
    addedTitle: '{name} wurde zu Ihrem Konto hinzugefügt',
    added: 'Ab jetzt können Sie sich damit in Ihrem Konto anmelden.',
    removedTitle: '{name} wurde aus Ihrem Konto entfernt',
    removed: 'Sie können sich damit nicht mehr in Ihrem Konto anmelden.',
    factorSetUpTitle: 'Ihr Konto fragt nach einem zweiten Faktor',
    factorSetUp: 'Ab jetzt braucht eine Anmeldung auch einen Code Ihrer Authenticator-App.',
    factorRemovedTitle: 'Ihr Konto fragt nicht mehr nach einem zweiten Faktor',
    factorRemoved: 'Ab jetzt braucht eine Anmeldung keinen Code Ihrer Authenticator-App mehr.',
    newCodesTitle: 'Sie haben neue Wiederherstellungscodes',
    newCodes: 'Ihre bisherigen Wiederherstellungscodes gelten nicht mehr.',
    codeUsedTitle: 'Ein Wiederherstellungscode wurde benutzt',
    codeUsed:
      'Bei einer Anmeldung in Ihrem Konto stand ein Wiederherstellungscode an der Stelle eines Codes Ihrer Authenticator-App. Er gilt nicht mehr.',
    mergedTitle: 'Zwei Ihrer Konten sind jetzt eines',
    merged: 'Ab jetzt führt jeder Weg zur Anmeldung in eines der beiden zum selben Konto.',
    erasedTitle: 'Ihr Konto ist gelöscht',
    erased:
      'Ihre Sitzungen, Ihre Wege zur Anmeldung und die Verbindungen zu Anbietern sind endgültig gelöscht.',
    erasedWarning:
      'Wenn Sie das nicht waren, war jemand anderes in Ihrem Namen angemeldet: Schreiben Sie an die Betreiber dieser Seite.',
    passwordSetTitle: 'Für Ihr Konto wurde ein Passwort festgelegt',
    passwordChangedTitle: 'Das Passwort Ihres Kontos wurde geändert',
    passwordChanged: 'Alle anderen Geräte wurden abgemeldet.',
    passwordRemovedTitle: 'Das Passwort Ihres Kontos wurde entfernt',
    wrongPasswordsTitle: 'Für Ihr Konto wurden falsche Passwörter ausprobiert',
    wrongPasswords:
      'An einem Tag wurden zehn falsche Passwörter für Ihr Konto eingegeben. Damit wurde niemand angemeldet.',
    wrongPasswordsHelp:
      'Wenn Sie das nicht waren, müssen Sie nichts tun. Die Anmeldung mit einem Link per E-Mail funktioniert weiterhin.',
  },
}
