import type { Texts } from '../src/languages/texts.js'

/** Turkish. People are addressed as “siz”; buttons are in the short imperative. No name takes a suffix. */
export const texts: Texts = {
  site: {
    tab: '{title} · {name}',
    terms: 'Koşullar',
    privacy: 'Gizlilik',
    help: 'Yardım',
  },
  signIn: {
    title: 'Oturum açın',
    titleAt: '{name} sitesinde oturum açın',
    titleAgain: 'Yeniden oturum açın',
    stale:
      'Oturum açmanızın üzerinden biraz zaman geçti. Devam etmek için bir kez daha oturum açın.',
    waits:
      'Yakın zamanda ekledikleriniz henüz ikinci faktör sayılmıyor. Önceden sahip olduğunuzu kullanın; ne zamandan itibaren sayılacağı hesap sayfanızda yazar.',
    weak: 'Bunun için daha güçlü bir oturum açma gerekiyor: bir geçiş anahtarı veya ikinci bir adım. Devam etmek için bir kez daha oturum açın.',
    account: 'Hesabınız',
    continueAs: '{name} olarak devam et',
    goOn: 'Devam et',
    useAnother: 'Başka bir hesap kullan',
    lastUsed: 'Son kullanılan',
    or: 'veya',
    newHere: 'burada yeni misiniz?',
    passkeysOnly:
      'Burada geçiş anahtarıyla oturum açılır. Bunun için JavaScript ve geçiş anahtarlarını destekleyen bir tarayıcı gerekir.',
    nothingConfigured: 'Henüz hiçbir oturum açma yöntemi yapılandırılmamış.',
    configure:
      'Bu hizmeti siz yönetiyorsanız: yapılandırılmış bir sağlayıcıda neyin eksik olduğu günlükte yazar. Hiç sağlayıcı yoksa birinin kimliğini ve gizli anahtarını ayarlayın, örneğin {id} ve {secret}.',
    signUp: 'Burada yeni misiniz? İlk oturum açışınız hesabınızı oluşturur.',
    signUpButPassword:
      'Burada yeni misiniz? Parola dışında, ilk oturum açışınız hesabınızı oluşturur.',
  },
  ways: {
    continueWith: '{name} ile devam et',
    add: '{name} ekle',
    submit: 'Oturum aç',
    submitWith: '{name} ile oturum aç',
    address: 'E-posta adresi',
    sendLink: 'Oturum açma bağlantısı gönder',
    addAddress: 'Bu adresi ekle',
    needsScript: 'Bu form, insanları programlardan ayırt etmek için JavaScript gerektirir.',
  },
  passkeys: {
    signIn: 'Geçiş anahtarı kullan',
    add: 'Geçiş anahtarı ekle',
    name: 'Adınız (isteğe bağlı)',
    signUp: 'Geçiş anahtarıyla hesap oluştur',
    noneCreated: 'Geçiş anahtarı oluşturulmadı. İstediğiniz zaman yeniden deneyebilirsiniz.',
    noneUsed: 'Geçiş anahtarı kullanılmadı. İstediğiniz zaman yeniden deneyebilirsiniz.',
    isThere: 'Bu cihazda hesabınız için zaten bir geçiş anahtarı var.',
    failed: 'Bu işlem başarısız oldu. Birazdan yeniden deneyin veya bu sayfayı yenileyin.',
  },
  who: {
    label: 'Geçerli hesap',
    signedInAs: 'Oturum açılan hesap:',
    signedIn: 'Oturumunuz açık',
  },
  signOut: {
    title: 'Oturumu kapat',
    question: 'Oturumu kapatmak istiyor musunuz?',
    submit: 'Oturumu kapat',
    cancel: 'İptal',
  },
  parts: {
    back: '{name} sitesine dön',
    copy: 'Kopyala',
    copied: 'Kopyalandı',
  },
  account: {
    title: 'Hesabınız',
    sections: 'Hesabınızın sayfaları',
    overview: 'Genel bakış',
    devices: 'Cihazlar',
    passkeys: 'Geçiş anahtarları',
    security: 'Güvenlik',
    sessions: 'Oturumunuzun açık olduğu yerler',
    thisDevice: 'Bu cihaz',
    begun: 'Oturum açma: {time}',
    added: 'Eklenme: {time}',
    lastUsed: 'Son kullanım: {time}',
    utc: 'Saatler UTC’ye göredir.',
    signOut: 'Oturumu kapat',
    signOutOf: 'Oturumu kapat: {session}',
    signOutOthers: 'Diğer tüm oturumları kapat',
    signOutAllWarning:
      'Bu cihazdaki de dahil tüm oturumlarınız sona erer. Sonra istediğiniz yerde yeniden oturum açarsınız.',
    signOutAll: 'Tüm oturumları kapat',
    ways: 'Oturum açma yöntemleri',
    usedNow: 'Şu anda kullanılıyor',
    remove: 'Kaldır',
    confirm: 'Onayla',
    confirmWay: 'Onayla: {way}',
    waits: 'Tek adımlı bir oturum açmayla eklendi: siz onayladığınızda tam olarak geçerli olur.',
    waitsUntil:
      'Tek adımlı bir oturum açmayla eklendi: {time} itibarıyla veya siz onayladığınızda tam olarak geçerli olur.',
    removeWay: 'Kaldır: {way}',
    onlyWay: 'Bu, tek oturum açma yönteminiz. Kaldırmak için önce başka bir yöntem ekleyin.',
    onlyPasskey: 'Tek oturum açma yönteminiz bir geçiş anahtarı.',
    onlyPasskeyAdvice:
      'Bir yöntem daha ekleyin: geçiş anahtarı kaybolursa kimse sizi içeri alamaz. Kurtarma kodları onun yerini tutmaz.',
    noPasskeys:
      'Henüz geçiş anahtarınız yok. Onunla parmak iziniz, yüzünüz veya bir PIN ile oturum açarsınız ve çalınabilecek bir şifre olmaz.',
    synced: 'Eşitlenmiş',
    onOneDevice: 'Tek bir cihazda',
    renameOpen: 'Yeniden adlandır…',
    rename: 'Yeniden adlandır',
    passkeyName: 'Bu geçiş anahtarının adı',
    delete: 'Hesabınızı silin',
    deleteOpen: 'Hesabımı sil…',
    deleteSubmit: 'Hesabımı sil',
    deleteWarning:
      'Oturumlarınız, oturum açma yöntemleriniz ve sağlayıcılarla bağlantılarınız kalıcı olarak silinir.',
    removeWarning: 'Artık kimse bu yöntemle hesabınızda oturum açamaz. Oturumlar açık kalır.',
    addSame: 'Eklediğiniz bir sağlayıcının başka bir hesabı…',
  },
  factor: {
    title: 'İkinci faktör',
    off: 'Geçiş anahtarıyla olanlar dışında her oturum açmadan sonra sorulan bir kimlik doğrulayıcı uygulaması.',
    setUp: 'Kimlik doğrulayıcı uygulaması kur',
    on: 'Kimlik doğrulayıcı uygulamanız etkin.',
    codesLeft: {
      one: '{count} kurtarma kodu kaldı.',
      other: '{count} kurtarma kodu kaldı.',
    },
    fewCodesLeft: {
      one: '{count} kurtarma kodu kaldı: yenilerini oluşturun.',
      other: '{count} kurtarma kodu kaldı: yenilerini oluşturun.',
    },
    newCodes: 'Yeni kurtarma kodları',
    switchOff: 'Uygulamayı devre dışı bırak',
    switchOffWarning:
      'Bundan sonra oturum açarken kod istenmez ve kurtarma kodlarınız geçersiz olur.',
  },
  factorCode: {
    tab: 'İkinci faktör',
    title: 'Bir adım daha',
    who: 'Şu adla oturum açıyorsunuz: {name}',
    how: 'Kimlik doğrulayıcı uygulamanızın şu anda gösterdiği kodu veya kurtarma kodlarınızdan birini yazın.',
    code: 'Kod',
    submit: 'Oturum aç',
    optional:
      'Bu uygulama yakın zamanda kuruldu ve henüz tam olarak geçerli değil; bu yüzden kod girmeden devam edebilirsiniz. Uygulama sizin değilse hesap sayfanızdan kapatın.',
    without: 'Kod girmeden devam et',
    startAgain: 'Baştan başla',
    useRecovery: 'Kurtarma kodu kullan',
    recoveryCode: 'Kurtarma kodu',
    useApp: 'Kimlik doğrulama uygulamasını kullan',
  },
  factorSetup: {
    title: 'İkinci faktörü kurun',
    demanded: 'Burada oturum açmak için ikinci bir faktöre ihtiyacınız var.',
    who: 'Şunun için: {name}',
    how: 'Bunu bir kimlik doğrulayıcı uygulamasıyla tarayın veya anahtarı uygulamaya yazın.',
    picture: 'Anahtarın QR kodu',
    code: 'Uygulamanın altı haneli kodu',
    submit: 'Etkinleştir',
    notNow: 'Şimdi değil',
  },
  recoveryCodes: {
    tab: 'Kurtarma kodları',
    title: 'Kurtarma kodlarınız',
    what: 'Her biri, bir kez olmak üzere, uygulamanızın bir kodunun yerine geçer. Uygulama ve bu kodlar olmadan oturum açamazsınız.',
    keep: 'Yalnızca bu kez gösterilirler. Bu sayfayı yazdırın veya kodları not alın ve telefonunuzdan ayrı bir yerde saklayın.',
    goOn: 'Sakladım: devam et',
    download: 'İndir',
  },
  code: {
    title: 'E-postanızı kontrol edin',
    sent: 'Şu adrese bir oturum açma e-postası gönderiliyor: {address}',
    sentToAdd: 'Şu adrese bir e-posta gönderiliyor: {address}',
    how: 'İçindeki bağlantıyı bu tarayıcıyla açın veya içindeki kodu yazın.',
    worksMinutes: {
      one: 'Bağlantı ve kod {count} dakika daha geçerli.',
      other: 'Bağlantı ve kod {count} dakika daha geçerli.',
    },
    worksHours: {
      one: 'Bağlantı ve kod {count} saat daha geçerli.',
      other: 'Bağlantı ve kod {count} saat daha geçerli.',
    },
    over: 'E-posta artık geçerli değil. Yeni bir e-posta isteyin.',
    openMail: '{name} sayfasını aç',
    label: 'Altı haneli kod',
    submit: 'Oturum aç',
    submitToAdd: 'Bu adresi ekle',
    again: 'Yeni bir e-posta gönder',
    noMail: 'E-posta gelmedi mi? Spam klasörüne de bakın.',
    waitSeconds: {
      one: '{count} saniye sonra yeni bir e-posta isteyebilirsiniz.',
      other: '{count} saniye sonra yeni bir e-posta isteyebilirsiniz.',
    },
    useAnother: 'Başka bir adres kullan',
    notHere:
      'Size bir oturum açma e-postası gönderildiyse içindeki bağlantıyı açın. İçindeki kod, e-postanın istendiği tarayıcıda çalışır.',
    which: 'Doğru e-postanın konusunda {mark} yazar.',
  },
  confirm: {
    tab: 'Oturum açmayı onaylayın',
    title: 'Bu cihazda oturum açılsın mı?',
    who: 'Bu bağlantı, oturumunuzu şu adresle açar: {address}',
    from: 'Şuradan istendi: {device}. Bu siz değildiyseniz veya bu sizin adresiniz değilse bağlantıyı burada geçersiz kılın: hiçbir şey olmadı.',
    submit: 'Oturum aç',
    refuse: 'Ben değildim',
    refusedTitle: 'Bağlantı artık çalışmıyor',
    refused:
      'Artık kimse bu bağlantıyla veya onunla gelen kodla oturum açamaz. Böyle başka e-postalar gelirse bunları dikkate almayın: onlar olmadan kimse giremez.',
  },
  errors: {
    credentials: 'Oturum açılamadı. Girdiğiniz bilgileri kontrol edin.',
    notLinked:
      'Bu hesap veya adres burada zaten birine ait, belki başka bir yöntemle size, ya da oturum açma yöntemi olarak kaldırılmış. Hiçbir şey değişmedi. Daha önce olduğu gibi oturum açın.',
    callback: 'Sağlayıcı oturumunuzu açamadı. Lütfen yeniden deneyin.',
    cancelled: 'Oturum açmayı iptal ettiniz. İstediğiniz zaman yeniden deneyebilirsiniz.',
    denied: 'Oturum açma izniniz yok.',
    link: 'Bu bağlantının süresi dolmuş veya bağlantı zaten kullanılmış. Lütfen yenisini isteyin.',
    form: 'Bu form çok uzun süre açık kaldı veya başka bir yerden geldi. Lütfen yeniden deneyin.',
    check:
      'Bu oturum açma işlemi başka bir yerde veya çok uzun süre önce başlatılmış. Lütfen baştan başlayın.',
    other: 'Oturum açma başarısız oldu. Lütfen yeniden deneyin.',
    code: 'Bu kod çalışmıyor. Lütfen yeni bir e-posta isteyin.',
    wrongFactor:
      'Bu kod doğru değil veya daha önce kullanılmış. Bir sonrakini bekleyin, sonra yeniden deneyin.',
    lateFactor: 'Bu çok uzun sürdü. Lütfen bir kez daha deneyin.',
    tooMany: 'Çok fazla deneme yapıldı. Lütfen bir süre bekleyin, sonra yeniden deneyin.',
    unknownPasskey:
      'Bu geçiş anahtarı artık burada bilinmiyor. Başka birini kullanın veya başka bir yöntemle oturum açın.',
    address: 'Bu, e-posta gönderilebilecek bir adres değil. Lütfen kontrol edin.',
    human:
      'Formda JavaScript gerektiren bir denetim var. Tamamlanmasını bekleyin, sonra formu yeniden gönderin.',
    notSent: 'E-posta gönderilemedi. Lütfen birazdan yeniden deneyin.',
    wrongCode:
      'Bu kod doğru değil veya artık geçerli değil. Kontrol edin veya yeni bir e-posta isteyin.',
    spentCode:
      'Çok fazla yanlış kod girildi. E-postadaki bağlantı hâlâ çalışıyor; isterseniz yeni bir e-posta da isteyebilirsiniz.',
  },
  errorPages: {
    configurationTitle: 'Oturum açma doğru yapılandırılmamış',
    configuration:
      'Bu hizmetin yapılandırmasında bir sorun var. Hizmeti siz yönetiyorsanız sorunun ne olduğu günlüğünde yazar.',
    deniedTitle: 'Erişim reddedildi',
    denied: 'Bu hesapla oturum açma izniniz yok.',
    linkTitle: 'Bu bağlantı artık çalışmıyor',
    link: 'Süresi dolmuş veya zaten kullanılmış. Lütfen yenisini isteyin.',
    unavailableTab: 'Yeniden deneyin',
    unavailableTitle: 'Oturum açma kullanılamıyor',
    unavailable:
      'Oturum açmak için gereken bir şey yanıt vermiyor. Lütfen birazdan yeniden deneyin.',
    lastWayTitle: 'Bu, son oturum açma yönteminiz',
    lastWay: 'O olmadan kimse hesabınızda oturum açamaz. Önce başka bir yöntem ekleyin.',
    manyWaysTitle: 'Çok sayıda oturum açma yönteminiz var',
    manyWays: 'Artık kullanmadığınız birini kaldırın, sonra başka birini ekleyin.',
    otherTitle: 'Bir sorun oluştu',
    other: 'Oturum açma bu kez başarısız oldu. Lütfen baştan başlayın.',
    toAccount: 'Hesabınıza gidin',
    toSignIn: 'Oturum açmaya gidin',
    reference: 'Yardım isterseniz şunu belirtin: {reference}',
    missingTitle: 'Böyle bir sayfa yok',
    missing: 'Adres yanlış yazılmış veya sayfa taşınmış olabilir.',
    formTitle: 'Bu adres formlar içindir',
    form: 'Tek başına açılamaz. Formun olduğu yerden başlayın.',
  },
  names: {
    email: 'E-posta',
    passkey: 'Geçiş anahtarı',
    credentials: 'Parola',
  },
  devices: {
    phone: 'Telefon',
    tablet: 'Tablet',
    laptop: 'Bilgisayar',
    browserOn: '{browser} ({system})',
    unknown: 'Bilinmeyen cihaz',
    and: '{one}, {other}',
  },
  mail: {
    title: '{host} sitesinde oturum açın',
    previewMinutes: {
      one: 'İsteğin geldiği yer: {device}. Bu e-postadaki bağlantı ve kod {count} dakika boyunca oturum açmanızı sağlar. Siz istemediyseniz dikkate almayın.',
      other:
        'İsteğin geldiği yer: {device}. Bu e-postadaki bağlantı ve kod {count} dakika boyunca oturum açmanızı sağlar. Siz istemediyseniz dikkate almayın.',
    },
    previewHours: {
      one: 'İsteğin geldiği yer: {device}. Bu e-postadaki bağlantı ve kod {count} saat boyunca oturum açmanızı sağlar. Siz istemediyseniz dikkate almayın.',
      other:
        'İsteğin geldiği yer: {device}. Bu e-postadaki bağlantı ve kod {count} saat boyunca oturum açmanızı sağlar. Siz istemediyseniz dikkate almayın.',
    },
    byLink: 'Bu e-postayı okuduğunuz cihazda oturum açın:',
    button: 'Oturum aç',
    byCode: 'Ya da bu kodu, isteği yaptığınız sayfaya yazın:',
    limitsMinutes: {
      one: 'İkisinden birini {count} dakika içinde kullanın. Hiçbiri ikinci kez çalışmaz.',
      other: 'İkisinden birini {count} dakika içinde kullanın. Hiçbiri ikinci kez çalışmaz.',
    },
    limitsHours: {
      one: 'İkisinden birini {count} saat içinde kullanın. Hiçbiri ikinci kez çalışmaz.',
      other: 'İkisinden birini {count} saat içinde kullanın. Hiçbiri ikinci kez çalışmaz.',
    },
    device: 'İsteğin geldiği yer: {device}',
    warning:
      'Bu e-postayı siz istemediyseniz dikkate almayın: o olmadan kimse giremez. Kim isterse istesin, bağlantıyı veya kodu asla kimseye vermeyin.',
  },
  mailToAdd: {
    title: 'Bu adresi {host} sitesindeki bir hesaba ekleyin',
    preview:
      'İsteğin geldiği yer: {device}. Bu hesabın sahibi, bu adresle de oturum açmak istiyor. Bu siz değilseniz bu e-postayı dikkate almayın.',
    byLink: 'Hesap sizinse bu adresi, isteği yaptığınız tarayıcıda ekleyin:',
    button: 'Bu adresi ekle',
    warning:
      'Bu e-postayı siz istemediyseniz dikkate almayın: o olmadan hiçbir şey eklenmez. Kim isterse istesin, bağlantıyı veya kodu asla kimseye vermeyin: o kişi sizin adresinizle oturum açar.',
  },
  notices: {
    where: '{host} sitesinde değiştirildi, cihaz: {device}',
    warning:
      'Bu siz değildiyseniz hesabınızda başka biri oturum açmış: oturum açın, hesabınızın sayfasını açın, tanımadıklarınızı kaldırın ve “Tüm oturumları kapat” seçeneğini seçin.',
    waits: 'Yedi gün sonra tam olarak geçerli olur. Sizin değilse o zamana kadar kaldırın.',
    addedTitle: 'Hesabınıza bir oturum açma yöntemi eklendi: {name}',
    added: 'Artık bu yöntemle hesabınızda oturum açılabilir.',
    removedTitle: 'Hesabınızdan bir oturum açma yöntemi kaldırıldı: {name}',
    removed: 'Artık bu yöntemle hesabınızda oturum açılamaz.',
    factorSetUpTitle: 'Hesabınız ikinci bir faktör istiyor',
    factorSetUp:
      'Bundan sonra oturum açmak için kimlik doğrulayıcı uygulamanızın bir kodu da gerekir.',
    factorRemovedTitle: 'Hesabınız artık ikinci bir faktör istemiyor',
    factorRemoved: 'Bundan sonra oturum açmak için kimlik doğrulayıcı uygulamanızın kodu gerekmez.',
    newCodesTitle: 'Yeni kurtarma kodlarınız var',
    newCodes: 'Daha önceki kurtarma kodlarınız artık çalışmıyor.',
    codeUsedTitle: 'Bir kurtarma kodu kullanıldı',
    codeUsed:
      'Hesabınızda oturum açmak için kimlik doğrulayıcı uygulamanızın kodu yerine bir kurtarma kodu kullanıldı. Bu kod artık çalışmıyor.',
    mergedTitle: 'Hesaplarınızdan ikisi artık tek bir hesap',
    merged: 'Bundan sonra her ikisinin de tüm oturum açma yöntemleri aynı hesaba götürür.',
    erasedTitle: 'Hesabınız silindi',
    erased:
      'Oturumlarınız, oturum açma yöntemleriniz ve sağlayıcılarla bağlantılarınız kalıcı olarak silindi.',
    erasedWarning:
      'Bu siz değildiyseniz hesabınızda başka biri oturum açmıştı: bu siteyi yönetenlere yazın.',
  },
}
