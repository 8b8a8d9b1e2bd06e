/* What a bone is, by its name. */
#include "io/rig_bone_plan.h"

#include <ctype.h>
#include <string.h>

/* The words of a name in small letters, each with a blank before and behind: " left up leg ". */
typedef struct words {
    char text[3 * RIG_NAME + 2];
} words;

/* A new word begins at a capital after a small letter, at the last of several capitals before a small one, and
 * beside all that is no letter. */
static words split_name(const char *name)
{
    words w;
    size_t used = 0;
    w.text[used++] = ' ';
    for (size_t i = 0; name[i] != '\0' && i < RIG_NAME; i++) {
        unsigned char before = i > 0 ? (unsigned char)name[i - 1] : ' ', at = (unsigned char)name[i],
                      next = (unsigned char)name[i + 1];
        bool begins = isupper(at) && (islower(before) || (isupper(before) && islower(next)));
        if ((begins || !isalpha(at)) && w.text[used - 1] != ' ')
            w.text[used++] = ' ';
        if (isalpha(at))
            w.text[used++] = (char)tolower(at);
    }
    if (w.text[used - 1] != ' ')
        w.text[used++] = ' ';
    w.text[used] = '\0';
    return w;
}

/* True if one of the words in `list` (with blanks between and around them) is in the name. */
static bool has_any(const words *w, const char *list)
{
    const char *begin = w->text;
    for (const char *end = strchr(begin + 1, ' '); end != NULL; end = strchr(begin + 1, ' ')) {
        char word[RIG_NAME + 2];
        size_t length = (size_t)(end - begin) + 1; /* with both blanks */
        if (length < sizeof word) {
            memcpy(word, begin, length);
            word[length] = '\0';
            if (strstr(list, word) != NULL)
                return true;
        }
        begin = end;
        if (begin[1] == '\0')
            break;
    }
    return false;
}

static rig_kind kind_of_name(const char *name)
{
    words w = split_name(name);
    bool upper = has_any(&w, " up upper "), lower = has_any(&w, " low lower ");
    if (has_any(&w, " finger fingers fingerbase thumb index middle ring pinky pinkie little toe toes toebase "
                    "twist roll eye eyes jaw tongue breast hair nub end site effector "))
        return RIG_KIND_SMALL;
    if (has_any(&w, " neck head skull "))
        return RIG_KIND_NECK;
    if (has_any(&w, " foot ankle feet paw "))
        return RIG_KIND_FOOT;
    if (has_any(&w, " hand wrist palm "))
        return RIG_KIND_HAND;
    if (has_any(&w, " elbow forearm lowerarm lowarm ulna radius ") ||
        (has_any(&w, " arm ") && (lower || has_any(&w, " fore "))))
        return RIG_KIND_ELBOW;
    if (has_any(&w, " collar clavicle scapula collarbone "))
        return RIG_KIND_COLLAR;
    if (has_any(&w, " arm upperarm uparm humerus "))
        return RIG_KIND_ARM;
    if (has_any(&w, " shoulder "))
        return RIG_KIND_SHOULDER;
    if (has_any(&w, " knee shin calf tibia lowerleg lowleg ") || (has_any(&w, " leg ") && lower))
        return RIG_KIND_KNEE;
    if (has_any(&w, " leg ") && !upper)
        return RIG_KIND_LEG;
    if (has_any(&w, " leg thigh upleg upperleg hip hipjoint femur "))
        return RIG_KIND_THIGH;
    if (has_any(&w, " spine chest upperchest torso back lowerback abdomen ab belly thorax waist pelvis hips "))
        return RIG_KIND_SPINE;
    return RIG_KIND_OTHER;
}

void rig_find_kinds(const rig *model, rig_kind *kinds)
{
    for (uint32_t b = 0; b < model->bone_count; b++) {
        uint32_t parent = model->parents[b];
        rig_kind above = parent != MOTE_NO_BONE ? kinds[parent] : RIG_KIND_OTHER;
        rig_kind own = kind_of_name(model->names[b]);
        bool below_leg = above == RIG_KIND_LEG || above == RIG_KIND_THIGH || above == RIG_KIND_KNEE;
        if (own == RIG_KIND_LEG)
            own = below_leg ? RIG_KIND_KNEE : RIG_KIND_THIGH;
        /* What is before the upper arm or the thigh is of the shoulder or the pelvis. */
        if ((own == RIG_KIND_ARM && above == RIG_KIND_SHOULDER) ||
            (own == RIG_KIND_THIGH && above == RIG_KIND_THIGH))
            kinds[parent] = RIG_KIND_COLLAR;
        kinds[b] = own;
    }
    for (uint32_t b = 0; b < model->bone_count; b++)
        if (kinds[b] == RIG_KIND_SHOULDER)
            kinds[b] = RIG_KIND_ARM;
}
